"""How does the help of a command name its arguments? By what they are for, without their types in Python."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class PlainCommand(TyperCommand):
    """A command whose usage reads `gossamer search [OPTIONS] QUERY...`."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return ["[OPTIONS]", *(_usage(argument) for argument in self._named("argument"))]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        arguments = [(_name(one), one.help or "") for one in self._named("argument")]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        options = [
            one.get_help_record(ctx) for one in self.get_params(ctx) if one.param_type_name == "option"
        ]
        with formatter.section("Options"):
            formatter.write_dl([record for record in options if record])

    def _named(self, kind: str) -> list[Any]:
        return [one for one in self.params if one.param_type_name == kind]


def _name(argument: Any) -> str:
    """`QUERY...` where several may be given."""
    name = str(argument.metavar or argument.name).removesuffix("...")
    return name if argument.nargs == 1 else f"{name}..."


def _usage(argument: Any) -> str:
    name = _name(argument)
    return name if argument.required else f"[{name}]"
