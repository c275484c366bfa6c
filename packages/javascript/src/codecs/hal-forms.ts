import { isPlain } from "../document.js";
import { Field, Link, type Schema } from "../link.js";
import { extended } from "../openapi/extension.js";
import { variables } from "../templates.js";
import { resolve } from "../urls.js";

type Raw = Readonly<Record<string, unknown>>;

const WITHOUT_BODY = ["get", "head", "delete"];
const FORMATS: Readonly<Record<string, string>> = {
  date: "date",
  "datetime-local": "date-time",
  time: "time",
  email: "email",
  url: "uri",
  password: "password",
};

/** The types of inputs by the format of their text. */
export const TYPES: Readonly<Record<string, string>> = Object.fromEntries(Object.entries(FORMATS).map(([type, format]) => [format, type]));

/** Return a field for each variable of a template. */
export function templateFields(url: string): Field[] {
  const found = new Map(variables(url).map((variable) => [variable.name, variable]));
  return [...found.values()].map(({ name, optional }) => new Field({ name, required: !optional, location: "path" }));
}

/** Return the method in lower case; GET, with an issue, for an invalid one. */
export function methodOf(method: unknown, place: string, issues: string[]): string {
  if (method === undefined) return "get";
  if (typeof method === "string" && /^[A-Za-z][A-Za-z-]{0,30}$/.test(method)) return method.toLowerCase();
  issues.push(`${place}/method: this is not an HTTP method, so GET is used`);
  return "get";
}

/** Return a form of HAL-FORMS as a link; its properties go into the body, or the query of GET, HEAD and DELETE. */
export function readForm(raw: unknown, baseUrl: string, place: string, issues: string[]): Link | undefined {
  if (!isPlain(raw)) {
    issues.push(`${place}: the form must be an object`);
    return undefined;
  }
  const method = methodOf(raw["method"], place, issues);
  const url = resolve(baseUrl, text(raw["target"]));
  const location = WITHOUT_BODY.includes(method) ? "query" : "form";
  const fields = [...templateFields(url), ...properties(raw, location, place, issues)];
  const json = fields.some((field) => field.location === "form") ? "application/json" : "";
  const encoding = [raw["encoding"], raw["contentType"]].find((each) => typeof each === "string") ?? json;
  const texts = { transform: text(raw["transform"]), title: text(raw["title"]), description: text(raw["description"]) };
  const link = { url, action: method, encoding: encoding as string, ...texts, fields, deprecated: Boolean(raw["deprecation"]) };
  return new Link(extended(link, raw["x-lintel"]));
}

function properties(raw: Raw, location: string, place: string, issues: string[]): Field[] {
  const listed = raw["properties"] ?? [];
  if (!Array.isArray(listed)) {
    issues.push(`${place}/properties: the properties of the form must be a list`);
    return [];
  }
  return listed.flatMap((each: unknown, at) => {
    if (isPlain(each) && typeof each["name"] === "string") return each["readOnly"] === true ? [] : [propertyField(each, location)];
    issues.push(`${place}/properties/${at}: the property of the form has no name`);
    return [];
  });
}

function propertyField(raw: Raw, location: string): Field {
  const required = raw["required"] === true;
  return new Field({ name: raw["name"] as string, required, location, schema: schemaOf(raw), description: text(raw["prompt"]) });
}

function schemaOf(raw: Raw): Schema {
  const texts = stated({ title: text(raw["prompt"]) || undefined, default: raw["value"] });
  const options = isPlain(raw["options"]) ? raw["options"]["inline"] : null;
  if (Array.isArray(options)) return { ...texts, enum: options.map((each: unknown) => (isPlain(each) ? each["value"] : each)) };
  const kind = text(raw["type"]);
  if (kind === "number" || kind === "range") return { ...texts, type: "number", ...stated({ minimum: raw["min"], maximum: raw["max"] }) };
  if (kind === "checkbox") return { ...texts, type: "boolean" };
  const limits = { format: FORMATS[kind], pattern: raw["regex"], maxLength: raw["maxLength"], minLength: raw["minLength"] };
  return { ...texts, type: "string", ...stated(limits) };
}

/** Return the members of an object that have a value. */
function stated(members: Raw): Raw {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
