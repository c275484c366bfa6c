"""Login, logout and CSRF tokens for scripts that use Django's sessions: JSON in and out.

path("session/", include("lintel.sessions.urls"))
"""

from lintel.sessions.throttles import LoginAddressThrottle as LoginAddressThrottle
from lintel.sessions.throttles import LoginNameThrottle as LoginNameThrottle
from lintel.sessions.views import CSRFView as CSRFView
from lintel.sessions.views import LoginView as LoginView
from lintel.sessions.views import LogoutView as LogoutView
from lintel.sessions.views import SessionView as SessionView
