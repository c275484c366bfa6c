"""Completion in bash, zsh, fish and PowerShell: the scripts, and their input and output.

The scripts are our own where click's scripts split words at "=" or commas, because parameters are
written NAME=VALUE.
"""

import json
import os
import re
from typing import Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

from lintel_client.cli.failures import Command
from lintel_document.controls import printable

__all__ = ["VARIABLE", "completion", "register"]

VARIABLE = "_LINTEL_COMPLETE"

_BASH = r"""
%(complete_func)s() {
    local kind value
    COMPREPLY=()
    while IFS=, read -r kind value; do
        case $kind in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            part) compopt -o nospace; COMPREPLY+=("$value") ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done < <(env LINTEL_LINE="${COMP_LINE:0:$COMP_POINT}" LINTEL_BREAKS="$COMP_WORDBREAKS" \
        %(complete_var)s=bash_complete "$1" 2>/dev/null)
}
complete -o nosort -F %(complete_func)s %(prog_name)s
""".lstrip()

_ZSH = r"""
#compdef %(prog_name)s
%(complete_func)s() {
    local -a response described parts
    local kind value about
    response=("${(@f)$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) \
        %(complete_var)s=zsh_complete %(prog_name)s 2>/dev/null)}")
    for kind value about in "${response[@]}"; do
        case $kind in
            dir) _path_files -/ ;;
            file) _path_files -f ;;
            part) parts+=("$value") ;;
            plain) described+=("${value//:/\\:}:$about") ;;
        esac
    done
    (( $#described )) && _describe -V unsorted described
    (( $#parts )) && compadd -V unsorted -S '' -a parts
}
compdef %(complete_func)s %(prog_name)s
""".lstrip()

_FISH = r"""
function %(complete_func)s
    set -l line (commandline -cp | string collect)
    set -l word (commandline -ct | string collect)
    set -l response (env COMP_WORDS=$line COMP_CWORD=$word \
        %(complete_var)s=fish_complete %(prog_name)s 2>/dev/null)
    for line in $response
        set -l found (string split --max 1 , -- $line)
        switch $found[1]
            case dir
                __fish_complete_directories (commandline -ct)
            case file
                __fish_complete_path (commandline -ct)
            case plain part
                echo -- $found[2]
        end
    end
end
complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
""".lstrip()

# PowerShell has read the words already. JSON in ASCII passes through every encoding of consoles.
_POWERSHELL = r"""
Register-ArgumentCompleter -Native -CommandName %(prog_name)s, %(prog_name)s.exe -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @()
    $incomplete = ''
    foreach ($element in $commandAst.CommandElements) {
        $text = $element.Extent.Text
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $text = $element.Value
        }
        if ($element.Extent.EndOffset -lt $cursorPosition) {
            $words += $text
        } elseif ($element.Extent.StartOffset -lt $cursorPosition) {
            $size = $cursorPosition - $element.Extent.StartOffset
            $incomplete = $text.Substring(0, [Math]::Min($size, $text.Length))
        }
    }
    $given = @{ words = @($words); incomplete = $incomplete }
    $env:LINTEL_WORDS = ConvertTo-Json -Compress -InputObject $given
    $env:%(complete_var)s = 'powershell_complete'
    try {
        $response = @(& %(prog_name)s 2>$null)
    } finally {
        Remove-Item Env:LINTEL_WORDS, Env:%(complete_var)s -ErrorAction SilentlyContinue
    }
    foreach ($line in $response) {
        $found = ConvertFrom-Json -InputObject $line
        if ($found.kind -eq 'file' -or $found.kind -eq 'dir') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
        } else {
            [System.Management.Automation.CompletionResult]::new(
                $found.text, $found.value, 'ParameterValue', $found.about)
        }
    }
}
""".lstrip()

_WORD_IN_POWERSHELL = re.compile(r"[\w%+=:./-][\w@%+=:./-]*")
_WORD_IN_SHELLS = re.compile(r"[\w@%+=:,./-]+")


class _Bash(BashComplete):
    """Gets the line, and returns what follows the last word break that bash sees in a word."""

    source_template = _BASH
    _cut = ""

    @staticmethod
    def _check_version() -> None:
        """Do nothing: bash before 4.4 rejects the script itself."""

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ.get("LINTEL_LINE", "")
        words = split_arg_string(line)
        incomplete = words.pop() if words and not line[-1:].isspace() else ""
        breaks = set(os.environ.get("LINTEL_BREAKS", "")) & set("=:@")
        place = max((incomplete.rfind(char) for char in breaks), default=-1)
        self._cut = incomplete[: place + 1]
        return words[1:], incomplete

    def format_completion(self, item: CompletionItem[Any]) -> str:
        if not _is_safe(item):
            return ""
        value = item.value.removeprefix(self._cut)
        if not _WORD_IN_SHELLS.fullmatch(value):
            value = re.sub(r"([^\w@%+=:,./-])", r"\\\1", value)
        return f"{_kind(item)},{value}"


class _Zsh(ZshComplete):
    source_template = _ZSH

    def format_completion(self, item: CompletionItem[Any]) -> str:
        if not _is_safe(item):
            return "none\nnone\nnone"
        return f"{_kind(item)}\n{item.value}\n{_about(item) or item.value}"


class _Fish(FishComplete):
    source_template = _FISH

    def format_completion(self, item: CompletionItem[Any]) -> str:
        if not _is_safe(item):
            return ""
        about = _about(item)
        return f"{_kind(item)},{item.value}\t{about}" if about else f"{_kind(item)},{item.value}"


class _PowerShell(ShellComplete):
    """Gets the words before the cursor in JSON, and returns one object of JSON per line."""

    name = "powershell"
    source_template = _POWERSHELL
    _cut = ""

    def get_completion_args(self) -> tuple[list[str], str]:
        try:
            given = json.loads(os.environ.get("LINTEL_WORDS", ""))
            words, incomplete = [str(word) for word in given["words"]], str(given["incomplete"])
        except (ValueError, KeyError, TypeError):
            return [], ""
        # The shell replaces the whole word, click completes what follows the name of an option.
        name, equals, _ = incomplete.partition("=")
        self._cut = f"{name}=" if equals and name.startswith("-") else ""
        return words[1:], incomplete

    def format_completion(self, item: CompletionItem[Any]) -> str:
        if not _is_safe(item):
            return ""
        value = f"{self._cut}{item.value}"
        quoted = "'" + re.sub("['\u2018-\u201b]", r"\g<0>\g<0>", value) + "'"
        text = value if _WORD_IN_POWERSHELL.fullmatch(value) else quoted
        found = {"kind": _kind(item), "text": text, "value": value, "about": _about(item) or value}
        return json.dumps(found)


def register() -> None:
    """Use our classes for the shells instead of click's own."""
    for shell in (_Bash, _Zsh, _Fish, _PowerShell):
        add_completion_class(shell)


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish", "powershell"]))
def completion(shell: str) -> None:
    """Print the script that lets a shell complete commands.

    It completes keys, parameters and values, too.

    \b
    bash: eval "$(lintel completion bash)" in ~/.bashrc
    zsh:  eval "$(lintel completion zsh)" in ~/.zshrc, after compinit
    fish: lintel completion fish > ~/.config/fish/completions/lintel.fish
    PowerShell: lintel completion powershell | Out-String | Invoke-Expression, in $PROFILE
    """
    root = click.get_current_context().find_root()
    classes = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish, "powershell": _PowerShell}
    made = classes[shell](root.command, {}, "lintel", VARIABLE)
    click.echo(made.source(), nl=False)


def _is_safe(item: CompletionItem[Any]) -> bool:
    """Return whether a name can neither control the terminal nor break the lines of output."""
    return item.type != "plain" or (str(item.value).isprintable() and bool(item.value))


def _kind(item: CompletionItem[Any]) -> str:
    """Return the type of a completion: part of a word gets no space after it."""
    return "part" if item.type == "plain" and item.value.endswith("=") else item.type


def _about(item: CompletionItem[Any]) -> str:
    return " ".join(printable(item.help or "").split())
