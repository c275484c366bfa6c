"""Names: every module, class, member, signature and constant of the public API.

Ours may have more: further members, base classes in between, optional parameters at the end
or keyword-only, annotations.
"""

import ast
import importlib
import inspect
import re
import types
from pathlib import Path
from typing import Any

from contract_replay import target, values
from contract_replay.cases import Case, Suite, read

Facts = dict[str, Any]
MISSING = object()


def load(facts: Path) -> list[Case]:
    recorded = read(facts / "api.json")
    cases = [
        Case(f"{module}.{name}", module, {"module": module, "name": name, **described})
        for module, names in recorded["modules"].items()
        for name, described in names.items()
    ]
    return cases + [Case(f"resources.{key}", "resources", recorded) for key in RESOURCES]


def expected(case: Case) -> Any:
    """Return the compared parts of a recorded name: not everything recorded is promised."""
    if case.group == "resources":
        left_out = exemptions().get(case.id, {}).get("parts", [])
        listed = RESOURCES[case.id.partition(".")[2]][0](case.facts)
        return [each for each in listed if each not in left_out] if left_out else listed
    recorded = {key: case.facts[key] for key in COMPARED if key in case.facts}
    for part in exemptions().get(case.id, {}).get("parts", []):
        owner, _, name = part.partition(".")
        if part == EVERYTHING:
            return {}
        if name:
            recorded[owner] = {key: each for key, each in recorded[owner].items() if key != name}
        else:
            del recorded[owner]
    return values.plain(recorded)


EVERYTHING = "*"


COMPARED = (
    *("kind", "origin", "signature", "value", "bases", "metaclass", "methods", "attributes"),
    *("namedtuple_fields", "options", "model"),
)


def exemptions() -> dict[str, Facts]:
    """Return names with parts that are deliberately not compared, each with its reason."""
    path = target.current.table("names_exempt.json")
    return read(path) if path else {}


def play(case: Case) -> Any:
    """Return the description of the object at a name, as far as the facts describe it."""
    if case.group == "resources":
        recorded, present = RESOURCES[case.id.partition(".")[2]]
        return present(recorded(case.facts))
    wanted = expected(case)
    if not wanted:
        return {}
    owner = module_at(case.facts["module"])
    if case.facts["kind"] == "command":
        return {"kind": "command", "options": command_options(owner, wanted["options"])}
    found = member_of(owner, case.facts["name"])
    if found is MISSING:
        return {"missing": case.id}
    return {key: DESCRIBERS[key](found, wanted[key], case) for key in wanted}


# ---- finding things ----


def module_at(name: str) -> types.ModuleType:
    """A module of the package; the tag library may carry either name."""
    own = name.replace("rest_framework", target.current.package)
    try:
        return target.current.module(name)
    except ModuleNotFoundError:
        if own == name:
            raise
        return target.current.module(own)


def member_of(owner: types.ModuleType, name: str) -> Any:
    """Return a member of a module, including submodules; MISSING if there is none."""
    try:
        return getattr(owner, name)
    except AttributeError:
        pass
    try:
        return importlib.import_module(f"{owner.__name__}.{name}")
    except ModuleNotFoundError:
        return MISSING


def resolve(name: str) -> Any:
    """Return the object of a dotted name: relative to the package, or absolute."""
    for start in (f"{target.current.package}.{name}", name, f"builtins.{name}", f"datetime.{name}"):
        found = walk(start)
        if found is not MISSING:
            return found
    raise AttributeError(f"there is no {name}")


def walk(dotted: str) -> Any:
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            found = getattr(found, part, MISSING)
        return found
    return MISSING


# ---- describing one thing ----


def kind_of(found: Any, recorded: str, case: Case) -> str:
    """Return the recorded kind if it fits the object, else the name of its type."""
    fits = {
        "class": isinstance(found, type),
        "exception": isinstance(found, type) and issubclass(found, BaseException),
        "function": callable(found) and not isinstance(found, type),
    }
    return recorded if fits.get(recorded, True) else type(found).__name__


def origin_of(found: Any, recorded: str, case: Case) -> str:
    """Return the recorded origin if the name refers to the same object as that.

    Modules and names from outside the package only have to be reachable.
    """
    if case.facts["kind"] in ("module", "external"):
        return recorded
    try:
        same = found is resolve(recorded) or found == resolve(recorded)
    except AttributeError as error:
        return str(error)
    return recorded if same else f"not {recorded}"


def bases_of(found: Any, recorded: list[str], case: Case) -> list[str]:
    """Return each recorded base class that is in the MRO, else the actual ones."""
    return [name if is_subclass(found, name) else f"not a base: {name}" for name in recorded]


def is_subclass(found: Any, name: str) -> bool:
    base = resolve_or_none(name)
    return isinstance(found, type) and isinstance(base, type) and issubclass(found, base)


def metaclass_of(found: Any, recorded: str, case: Case) -> str:
    kind = type(found)
    return recorded if is_subclass(kind, recorded) else kind.__name__


def fields_of(found: Any, recorded: list[str], case: Case) -> list[str]:
    return list(getattr(found, "_fields", ()))


def signature_of(found: Any, recorded: str, case: Case) -> str:
    """Return the recorded signature if every recorded call still works, else the actual one."""
    own = str(inspect.signature(found))
    return recorded if accepts(parameters(own, found), parsed(recorded)) else own


def methods_of(found: Any, recorded: dict[str, Facts], case: Case) -> dict[str, Facts]:
    return {name: described_method(found, name, facts) for name, facts in recorded.items()}


def described_method(owner: Any, name: str, facts: Facts) -> Facts:
    static = inspect.getattr_static(owner, name, MISSING)
    if static is MISSING:
        return {"missing": name}
    out = dict(facts)
    kinds = {"classmethod": classmethod, "staticmethod": staticmethod}
    kind = facts["kind"]
    if kind in kinds and not isinstance(static, kinds[kind]) and name != "__new__":
        out["kind"] = type(static).__name__
    if kind == "method" and (isinstance(static, property) or not callable(getattr(owner, name))):
        out["kind"] = type(static).__name__
    if "property" in kind and isinstance(static, (types.FunctionType, classmethod, staticmethod)):
        out["kind"] = type(static).__name__
    if facts.get("settable") and isinstance(static, property) and static.fset is None:
        out["settable"] = False
    if "signature" in facts:
        plain = static.__func__ if isinstance(static, (classmethod, staticmethod)) else static
        out["signature"] = signature_of(plain, facts["signature"], None)
    return out


def attributes_of(found: Any, recorded: dict[str, Facts], case: Case) -> dict[str, Facts]:
    """Values of class attributes, in the notation in which they were recorded."""
    out = {}
    for name, facts in recorded.items():
        value = getattr(found, name, MISSING)
        actual = {"missing": name} if value is MISSING else described(value, facts["value"])
        out[name] = {**facts, "value": actual}
    return out


def value_of(found: Any, recorded: Any, case: Case) -> Any:
    return described(found, recorded)


def model_of(found: Any, recorded: Facts, case: Case) -> Facts:
    """Options and fields of a model, the latter by class and by the options recorded."""
    meta = found._meta
    out = {key: getattr(meta, key) for key in recorded if key != "fields"}
    out = {key: str(item) if key.startswith("verbose") else item for key, item in out.items()}
    fields = {field.name: field for field in meta.local_fields}
    out["fields"] = {
        name: described_model_field(fields[name], facts) if name in fields else "missing"
        for name, facts in recorded["fields"].items()
    }
    return out


def described_model_field(field: Any, facts: Facts) -> Facts:
    _, path, _, options = field.deconstruct()
    same = path.replace("django.db.models.", "") in facts["class"].replace(".fields", "")
    shown = {
        name: described(options.get(name), facts["options"][name]) for name in facts["options"]
    }
    return {"class": facts["class"] if same or path in facts["class"] else path, "options": shown}


DESCRIBERS = {
    "kind": kind_of,
    "origin": origin_of,
    "signature": signature_of,
    "value": value_of,
    "bases": bases_of,
    "metaclass": metaclass_of,
    "methods": methods_of,
    "attributes": attributes_of,
    "namedtuple_fields": fields_of,
    "model": model_of,
}


# ---- values of constants and class attributes ----


def described(value: Any, recorded: Any) -> Any:
    """Notation of a value; `recorded` tells which notation is meant."""
    notation = recorded.get(values.TAG) if isinstance(recorded, dict) else None
    if notation in NOTATIONS:
        return NOTATIONS[notation](value, recorded)
    if isinstance(recorded, list) and isinstance(value, list) and len(value) == len(recorded):
        return [described(a, b) for a, b in zip(value, recorded, strict=True)]
    if isinstance(recorded, dict) and notation is None and isinstance(value, dict):
        return {key: described(value[key], recorded[key]) for key in recorded if key in value}
    return own_text(value) if isinstance(value, str) else values.encode(textual(value))


def textual(value: Any) -> Any:
    """A lazy translation as its text, anything else as it is."""
    return str(value) if type(value).__name__ == "__proxy__" else value


def own_text(value: str) -> str:
    """Return a text with our package's name instead of the observed package's."""
    return re.sub(rf"\b{target.current.package}(?=[./]|$)", "rest_framework", str(value))


def referred(value: Any, recorded: Facts) -> Any:
    return recorded if value == resolve(recorded["name"]) else {**recorded, "name": name_of(value)}


def name_of(value: Any) -> str:
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', repr(value))}"


def instance_of(value: Any, recorded: Facts) -> Any:
    """The recorded notation when the value is an instance of the recorded class."""
    kind = resolve(recorded["class"])
    return recorded if isinstance(value, kind) else {**recorded, "class": name_of(type(value))}


def pattern_of(value: Any, recorded: Facts) -> Any:
    shown = getattr(value, "pattern", None)
    return {**recorded, "pattern": shown if shown is not None else name_of(type(value))}


def looked_up(value: Any, recorded: Facts) -> Any:
    """A table from classes to values: what it gives for each recorded class."""
    shown = {}
    for name, wanted in recorded["mapping"].items():
        try:
            found = value[instance_without_init(resolve(name))]
        except KeyError:
            found = None
        shown[name] = described(found, wanted)
    return {**recorded, "mapping": shown}


def instance_without_init(kind: type) -> Any:
    return object.__new__(kind)


def tuple_of(value: Any, recorded: Facts) -> Any:
    if not isinstance(value, tuple) or len(value) != len(recorded["items"]):
        return values.encode(value)
    pairs = zip(value, recorded["items"], strict=True)
    return {**recorded, "items": [described(a, b) for a, b in pairs]}


def pairs_of(value: Any, recorded: Facts) -> Any:
    """A mapping with keys that are no text: what it holds for each recorded key."""
    shown = []
    for key, wanted in recorded["items"]:
        real = resolve(key["name"]) if isinstance(key, dict) else key
        shown.append([key, described(value.get(real), wanted)])
    return {**recorded, "items": shown}


def set_of(value: Any, recorded: Facts) -> Any:
    return values.plain(values.encode(set(value)))


def named(value: Any, recorded: Facts) -> Any:
    shown = {key: described(getattr(value, key), item) for key, item in recorded["fields"].items()}
    return {**recorded, "fields": shown}


def some_text(value: Any, recorded: Facts) -> Any:
    return recorded if isinstance(value, str) else name_of(type(value))


NOTATIONS = {
    "ref": referred,
    "object": instance_of,
    "regex": pattern_of,
    "class_lookup": looked_up,
    "tuple": tuple_of,
    "dict": pairs_of,
    "set": set_of,
    "namedtuple": named,
    "long text": some_text,
}


# ---- signatures ----


def parsed(signature: str) -> list[tuple[str, str, str | None]]:
    """Parameters of a written signature: name, kind, default as text."""
    arguments = ast.parse(f"def f{signature.replace('<object>', '...')}: pass").body[0].args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    out = [(a.arg, "plain", text(d)) for a, d in zip(plain, defaults, strict=True)]
    if arguments.vararg:
        out.append((arguments.vararg.arg, "*", None))
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    out += [(a.arg, "keyword", text(d)) for a, d in keywords]
    if arguments.kwarg:
        out.append((arguments.kwarg.arg, "**", None))
    return out


def text(node: ast.expr | None) -> str | None:
    return None if node is None else ast.unparse(node)


KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "plain",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "plain",
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def parameters(own: str, function: Any) -> list[tuple[str, str, Any]]:
    """Parameters of a function: name, kind, default (MISSING: none)."""
    return [
        (each.name, KINDS[each.kind], MISSING if each.default is each.empty else each.default)
        for each in inspect.signature(function).parameters.values()
    ]


def accepts(own: list[tuple[str, str, Any]], recorded: list[tuple[str, str, str | None]]) -> bool:
    """Return whether a function accepts every call that the recorded signature allows."""
    if recorded and recorded[0][0] in OWNERS and own:
        own, recorded = own[1:], recorded[1:]
    positional = [each for each in own if each[1] == "plain"]
    wanted = [each for each in recorded if each[1] == "plain"]
    if [name for name, _, _ in positional[: len(wanted)]] != [name for name, _, _ in wanted]:
        return False
    extra = positional[len(wanted) :] + [each for each in own if each[1] == "keyword"]
    by_name = {name: (kind, default) for name, kind, default in own}
    known = {name for name, _, _ in recorded}
    return all(fits(by_name, each) for each in recorded) and all(
        default is not MISSING for name, _, default in extra if name not in known
    )


OWNERS = ("self", "cls", "_cls")
"""Names of first parameters that no caller writes."""


def fits(own: dict[str, tuple[str, Any]], wanted: tuple[str, str, str | None]) -> bool:
    name, kind, default = wanted
    if kind in ("*", "**"):
        return any(each[0] == kind for each in own.values())
    if name not in own:
        return False
    return default_fits(own[name][1], default)


def default_fits(own: Any, recorded: str | None) -> bool:
    """Return whether a default is the recorded one; a default may be added, never removed."""
    if recorded is None or recorded == "...":
        return recorded is None or own is not MISSING
    if own is MISSING:
        return False
    try:
        return own == ast.literal_eval(recorded)
    except ValueError:
        return shown_default(own) == recorded or own is resolve_or_none(recorded)


def shown_default(value: Any) -> str:
    """A list of classes as signatures show it, the names relative to the package."""
    if not isinstance(value, (list, tuple)):
        return ""
    start = f"{target.current.package}."
    return f"[{', '.join(name_of(each).removeprefix(start) for each in value)}]"


def resolve_or_none(name: str) -> Any:
    try:
        return resolve(name)
    except (AttributeError, ImportError):
        return None


# ---- commands ----


def command_options(module: types.ModuleType, recorded: list[Facts]) -> list[Facts]:
    """The recorded options of a management command as they are now."""
    parser = module.Command().create_parser("manage.py", "command")
    actions = {action.dest: action for action in parser._actions}
    return [
        described_option(actions[each["dest"]]) if each["dest"] in actions else {"missing": each}
        for each in recorded
    ]


def described_option(action: Any) -> Facts:
    return {
        "dest": action.dest,
        "options": list(action.option_strings),
        "default": action.default,
        "choices": list(action.choices) if action.choices is not None else None,
        "nargs": action.nargs,
        "required": action.required,
        "action": type(action).__name__.strip("_").removesuffix("Action").lower(),
    }


# ---- templates, locales, migrations, URL names, app configs ----


def templates_present(names: list[str]) -> list[str]:
    """The templates that can be loaded, under the package's name or the observed one."""
    from django.template import engines

    engine = engines["django"].engine
    return [name for name in names if loads(engine, name)]


def loads(engine: Any, name: str) -> bool:
    for each in (name, target.current.own_names(name)):
        for origin in engine.template_loaders:
            if any(Path(place.name).exists() for place in origin.get_template_sources(each)):
                return True
    return False


def tags_present(names: list[str]) -> list[str]:
    register = module_at("templatetags.rest_framework").register
    return [name for name in names if name in register.tags]


def filters_present(names: list[str]) -> list[str]:
    register = module_at("templatetags.rest_framework").register
    return [name for name in names if name in register.filters]


def locales(names: list[str]) -> list[str]:
    root = Path(target.current.module("(package)").__file__).parent / "locale"
    return [name for name in names if (root / name / "LC_MESSAGES" / "django.mo").exists()]


def migrations(names: list[str]) -> list[str]:
    return [name for name in names if exists(f"authtoken.migrations.{name}")]


def exists(module: str) -> bool:
    try:
        target.current.module(module)
    except ModuleNotFoundError:
        return False
    return True


def urls(recorded: Facts) -> Facts:
    module = target.current.module("urls")
    patterns = [{"route": str(each.pattern), "name": each.name} for each in module.urlpatterns]
    return {"app_name": own_text(module.app_name), "patterns": patterns}


def app_configs(recorded: Facts) -> Facts:
    from django.apps import apps

    shown = {}
    for label, facts in recorded.items():
        config = apps.get_app_config(label if label == "authtoken" else label_of_package())
        shown[label] = {"class": type(config).__name__, "name": own_text(config.name)}
        shown[label]["verbose_name"] = facts["verbose_name"]
    return shown


def label_of_package() -> str:
    from django.apps import apps

    return next(
        each.label for each in apps.get_app_configs() if each.name == target.current.package
    )


def of_library(key: str) -> Any:
    return lambda facts: facts["template_library"][key]


def of_facts(key: str) -> Any:
    return lambda facts: facts[key]


RESOURCES = {
    "templates": (of_facts("templates"), templates_present),
    "templates_since_removed": (of_facts("templates_since_removed"), templates_present),
    "tags": (of_library("tags"), tags_present),
    "filters": (of_library("filters"), filters_present),
    "tags_since_removed": (of_library("tags_since_removed"), tags_present),
    "filters_since_removed": (of_library("filters_since_removed"), filters_present),
    "locales": (of_facts("locales"), locales),
    "migrations": (of_facts("authtoken_migrations"), migrations),
    "urls": (of_facts("urls"), urls),
    "app_configs": (of_facts("app_configs"), app_configs),
}

SUITE = Suite("names", load, expected, play)
