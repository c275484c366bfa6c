from contract_project.urls import urlpatterns  # noqa

handler500 = 'lintel.exceptions.server_error'
handler400 = 'lintel.exceptions.bad_request'
