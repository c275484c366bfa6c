/** Convert version 2.0 to the terms of 3.x, so that both are read in one way. */
import { type Description, type Node, list, mapping, text } from "./nodes.js";

const MULTIPART = "multipart/form-data";
const FORM = "application/x-www-form-urlencoded";
const DELIMITED: Readonly<Record<string, string>> = { ssv: "spaceDelimited", pipes: "pipeDelimited", tsv: "tabDelimited" };

/** Return a parameter outside of body and form as 3.x writes it. */
export function newParameter(raw: Node): Node {
  const { name, in: location, required, description } = raw;
  return { name, in: location, required, description, schema: valueSchema(raw), ...(raw["type"] === "array" ? style(raw) : {}) };
}

/** Return the request body described by the parameters in "body" and "formData", null without any. */
export function newBody({ root }: Description, operation: Node, parameters: readonly Node[]): Node | null {
  const forms = parameters.filter((parameter) => parameter["in"] === "formData");
  const [body] = parameters.filter((parameter) => parameter["in"] === "body");
  const consumes = list(operation["consumes"] ?? root["consumes"]).filter((type) => typeof type === "string");
  if (forms.length) return newForm(forms, consumes);
  if (!body) return null;
  const media = { schema: body["schema"] };
  const types = consumes.length ? consumes : ["application/json"];
  const { required, description } = body;
  return { required: required === true, description, content: Object.fromEntries(types.map((type) => [type, media])) };
}

function newForm(forms: readonly Node[], consumes: readonly string[]): Node {
  const hasFile = forms.some((raw) => raw["type"] === "file");
  const types = hasFile ? [MULTIPART] : consumes.filter((type) => type === FORM || type === MULTIPART);
  const required = forms.filter((raw) => raw["required"] === true).map((raw) => text(raw["name"]));
  const properties = forms.map((raw) => [text(raw["name"]), { ...valueSchema(raw), description: raw["description"] }]);
  const lists = forms.filter((raw) => raw["type"] === "array");
  const media = {
    schema: { type: "object", properties: Object.fromEntries(properties), required },
    encoding: Object.fromEntries(lists.map((raw) => [text(raw["name"]), style(raw)])),
  };
  const content = Object.fromEntries((types.length ? types : [FORM]).map((type) => [type, media]));
  return { required: required.length > 0, content };
}

function valueSchema(raw: Node): Node {
  const { name, in: location, required, description, collectionFormat, ...schema } = raw;
  void [name, location, required, description, collectionFormat];
  return schema["type"] === "file" ? { ...schema, type: "string", format: "binary" } : schema;
}

function style(raw: Node): { style: string; explode: boolean } {
  const kind = text(raw["collectionFormat"]) || "csv";
  if (kind === "multi") return { style: "form", explode: true };
  const isForm = raw["in"] === "query" || raw["in"] === "formData";
  return { style: DELIMITED[kind] ?? (isForm ? "form" : "simple"), explode: false };
}

/** Return the schema of an operation's response, null if none is described. */
export function resultSchema(response: Node, isOld: boolean): Node | null {
  if (isOld) return response["schema"] ? mapping(response["schema"]) : null;
  const media = Object.entries(mapping(response["content"])).find(([type]) => /[/+]json/.test(type));
  const schema = media && mapping(media[1])["schema"];
  return schema === undefined ? null : mapping(schema);
}
