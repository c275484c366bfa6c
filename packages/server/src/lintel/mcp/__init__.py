"""The operations of a project as tools for agents: the Model Context Protocol, in process."""

from lintel.mcp.metadata import protected_resource as protected_resource
from lintel.mcp.streams import Limits as Limits
from lintel.mcp.views import MCPView as MCPView
from lintel.mcp.views import view as view
