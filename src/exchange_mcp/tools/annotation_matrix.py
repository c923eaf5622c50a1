"""get_annotation_matrix: what each tool may do and why its hints are true."""

from typing import Final

from exchange_mcp.tools.declared import local_tool
from exchange_mcp.tools.handed import LocalHanded
from exchange_mcp.tools.matrix import Matrix, matrix
from exchange_mcp.tools.spec import Arguments


class GetAnnotationMatrix(Arguments):
    """No argument."""


async def get_annotation_matrix(_: GetAnnotationMatrix, handed: LocalHanded) -> Matrix:
    """Answer from the registry that this server runs on."""
    return matrix(handed.registry)


TOOLS: Final = (
    local_tool(
        name="get_annotation_matrix",
        title="Annotation matrix",
        description=(
            "What every tool of this server may do: effect, the four MCP hints with the reason for each, "
            "what a call leaves behind, and the abilities that are refused by design. For audits."
        ),
        arguments=GetAnnotationMatrix,
        data=Matrix,
        read_only="It reads the registry that the server runs on.",
        idempotent="The registry does not change while the server runs.",
        handler=get_annotation_matrix,
    ),
)
