"""What the library raises."""


class Error(Exception):
    """Something went wrong. The message names the file, field or argument, what was expected and what was found."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message, code)

    @property
    def code(self) -> str:
        """The kind, for programs: "invalid_argument", "not_found", "io", "format", "unsupported", "limit", "busy",
        "cancelled" or "internal"."""
        code: str = self.args[1]
        return code

    def __str__(self) -> str:
        return str(self.args[0])


class ArgumentError(Error, ValueError):
    """An argument cannot be right: its shape, its range, or its combination with others."""

    def __init__(self, message: str, code: str = "invalid_argument") -> None:
        super().__init__(message, code)
