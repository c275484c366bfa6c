import { LintelError } from "../errors.js";
import { Field, type Link } from "../link.js";
import { isSafe } from "../methods.js";
import { type TemplateValue, variables } from "../templates.js";
import { extras } from "../extras.js";
import { checkedHeader } from "./headers.js";
import { plainWriter } from "./plain.js";
import type { HeaderField } from "./writer.js";

const QUERY_METHODS = /^(get|delete|head|options)?$/i;
// These frame the message or name the host; parameters must not change them.
const FRAMING = /^(host|content-length|transfer-encoding|connection|content-type|upgrade)$/i;
const REQUIRED = "This parameter is required.";

export type ParameterValues = Readonly<Record<string, unknown>>;
type Assigned = [Field, unknown][];
type Problems = Map<string, string>;

/** Checked values by place: text for URL and headers, values for bodies. */
export class Parameters {
  readonly path = new Map<string, TemplateValue>();
  readonly query: string[] = [];
  readonly headers: HeaderField[] = [];
  readonly cookies: string[] = [];
  readonly form = new Map<string, unknown>();
  body: unknown = undefined;
}

/**
 * Return the values of a call, checked and sorted by location.
 *
 * A name shared by several fields gives its value to all of them, except to one in the query of a write that has it in
 * the body; "path.id" addresses only the one in the path. Variables of the link's URL are parameters even without a field. Without `validate`, unknown names
 * go to the default location and required ones may be missing, unless the URL needs them. Throws a
 * LintelError that names every invalid parameter.
 */
export function sortParameters(link: Link, params: ParameterValues, validate = true): Parameters {
  const problems: Problems = new Map();
  const assigned = assign(link, params, validate, problems);
  if (validate) findMissing(link, assigned, problems);
  findHoles(link, assigned, problems);
  const values = new Parameters();
  for (const [field, value] of assigned) attempt(problems, callerName(link, field), () => put(values, link, field, value));
  if (link.encoding === "application/octet-stream" && values.form.size > 1) {
    for (const name of values.form.keys()) problems.set(name, "Only one value can be the body of this link.");
  }
  if (problems.size) throw parameterError(problems);
  return values;
}

/** Return the writer for the values of a link. */
export function writerOf(link: Link): typeof plainWriter {
  return link.writer ?? plainWriter;
}

/** Return the error that lists parameters and what is wrong with each. */
export function parameterError(problems: Iterable<[string, string]>): LintelError {
  const message = [...problems].map(([name, text]) => `${name}: ${text}`).join("; ");
  const messages = Object.fromEntries([...problems].map(([name, text]) => [name, [text]]));
  return new LintelError("parameter", message, { messages });
}

function attempt(problems: Problems, name: string, run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    problems.set(name, error.message);
  }
}

// ---- fields by name ----

function assign(link: Link, params: ParameterValues, validate: boolean, problems: Problems): Assigned {
  const fields = [...link.fields.filter((field) => field.name), ...impliedFields(link)];
  const values = new Map<Field, unknown>();
  const extra: Assigned = [];
  const given = Object.entries(params).filter(([, value]) => value !== undefined);
  // Shorter names first, so that "path.id" overrides "id".
  given.sort(([left], [right]) => +left.includes(".") - +right.includes("."));
  for (const [name, value] of given) {
    const meant = meaning(link, fields, name);
    for (const field of meant) values.set(field, value);
    if (meant.length) continue;
    if (validate) problems.set(name, unknown(name, fields.map((field) => callerName(link, field))));
    else extra.push([new Field({ name }), value]);
  }
  return [...fields.filter((field) => values.has(field)).map((field): [Field, unknown] => [field, values.get(field)]), ...extra];
}

/** Return path fields for the variables of the URL that no field describes. */
function impliedFields(link: Link): Field[] {
  const described = link.fields.filter((field) => field.location === "path").map((field) => field.name);
  const found = new Map(variables(link.url).map((variable) => [variable.name, variable]));
  return [...found.values()]
    .filter((variable) => !described.includes(variable.name))
    .map(({ name, optional }) => new Field({ name, required: !optional, location: "path" }));
}

/** Return the name for callers: "query.status" in the query of a write that has this name in the body, too. */
export function callerName(link: Link, field: Field): string {
  const { name } = field;
  const isInBody = !isSafe(link.action) && link.fields.some((other) => other.name === name && /^(form|body)$/.test(placeOf(link, other)));
  const place = isInBody ? placeInRequest(link, field) : "";
  return place.startsWith("query") ? `${place}.${name}` : name;
}

/** Return the place of a value; variables of a template may be in its query. */
function placeInRequest(link: Link, field: Field): string {
  const place = placeOf(link, field);
  const isInQuery = place === "path" && variables(link.url).some(({ name, operator }) => name === field.name && /[?&]/.test(operator));
  return isInQuery ? "query" : place;
}

function meaning(link: Link, fields: Field[], name: string): Field[] {
  const exact = fields.filter((field) => callerName(link, field) === name);
  if (exact.length) return exact;
  return fields.filter((field) => field.location && `${field.location}.${field.name}` === name);
}

function unknown(name: string, names: string[]): string {
  const known = [...new Set(names)].sort();
  const near = extras.near(name, known);
  if (near.length) return `Unknown parameter. Did you mean ${near.join(" or ")}?`;
  return `Unknown parameter. Known parameters: ${known.join(", ") || "none"}.`;
}

/** Return the required fields without a value; those of a form may be missing if the whole body is given. */
function findMissing(link: Link, assigned: Assigned, problems: Problems): void {
  const given = assigned.map(([field]) => field);
  const hasBody = given.some((field) => field.location === "body");
  for (const field of link.fields) {
    const isGiven = given.includes(field) || (hasBody && field.location === "form");
    if (field.required && field.name && !isGiven) problems.set(callerName(link, field), REQUIRED);
  }
}

/** Return the variables without which the path of the URL would have a gap. */
function findHoles(link: Link, assigned: Assigned, problems: Problems): void {
  const given = assigned.filter(([field]) => placeOf(link, field) === "path").map(([field]) => field.name);
  for (const { name, optional } of variables(link.url)) {
    if (!optional && !given.includes(name)) problems.set(name, REQUIRED);
  }
}

// ---- checks by location ----

type Put = (values: Parameters, field: Field, value: unknown, link: Link) => void;

const PLACES: Readonly<Record<string, Put>> = {
  path: putInPath,
  query: putInQuery,
  querystring: putInQuery,
  header: putInHeader,
  cookie: putInCookie,
  form: (values, field, value, link) => values.form.set(field.name, writerOf(link).bodyValue(link, value, field.name)),
  body: (values, _field, value, link) => (values.body = writerOf(link).bodyValue(link, value)),
};

function placeOf(link: Link, field: Field): string {
  if (Object.hasOwn(PLACES, field.location)) return field.location;
  return QUERY_METHODS.test(link.action) ? "query" : "form";
}

function put(values: Parameters, link: Link, field: Field, value: unknown): void {
  PLACES[placeOf(link, field)]!(values, field, value, link);
}

function putInPath(values: Parameters, field: Field, value: unknown, link: Link): void {
  const variable = variables(link.url).find((each) => each.name === field.name);
  if (!variable) throw new TypeError("The URL of the link has no place for this parameter.");
  values.path.set(field.name, writerOf(link).path(field, variable, value));
}

function putInQuery(values: Parameters, field: Field, value: unknown, link: Link): void {
  values.query.push(...writerOf(link).query(field, value));
}

function putInHeader(values: Parameters, field: Field, value: unknown, link: Link): void {
  if (FRAMING.test(field.name)) throw new TypeError("A parameter must not set this header.");
  const text = writerOf(link).header(field, value);
  if (text !== null) values.headers.push(checkedHeader(field.name, text));
}

function putInCookie(values: Parameters, field: Field, value: unknown, link: Link): void {
  checkedHeader(field.name, "");
  values.cookies.push(...writerOf(link).cookie(field, value));
}
