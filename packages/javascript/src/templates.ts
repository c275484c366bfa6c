/** URI templates, all four levels (RFC 6570). */

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g;
const VARIABLE = /^((?:[A-Za-z0-9_.$-]|[^\x00-\x7f]|%[0-9A-Fa-f]{2})+)(?:\*|:([1-9]\d{0,3}))?$/;

/** One variable; `optional` if the URL remains valid without it. */
export interface Variable {
  readonly name: string;
  readonly written: string;
  readonly operator: string;
  readonly explode: boolean;
  readonly prefix: number;
  readonly optional: boolean;
}

/** Text, a list of texts, or the pairs of an object. */
export type TemplateValue = string | readonly string[] | ReadonlyMap<string, string>;

/** Return the variables of a template in order. Expressions that are not valid are literal. */
export function variables(template: string): Variable[] {
  return [...template.matchAll(EXPRESSION)].flatMap((found) => variablesOf(found[1]!, found[2]!) ?? []);
}

/** Return the URL of a template. Variables without a value expand to nothing. */
export function expand(template: string, values: ReadonlyMap<string, TemplateValue>): string {
  return template.replace(EXPRESSION, (whole: string, operator: string, list: string) => {
    const found = variablesOf(operator, list);
    if (!found) return whole;
    const parts = found.flatMap((variable) => {
      const value = values.get(variable.name);
      return value === undefined ? [] : partsOf(variable, value);
    });
    return parts.length ? operator.replace("+", "") + parts.join(separatorOf(operator)) : "";
  });
}

/** The separators between the variables of an expression (RFC 6570, appendix A). */
function separatorOf(operator: string): string {
  return "+#".includes(operator) ? "," : operator.replace("?", "&");
}

/** Percent-encode all but unreserved characters (RFC 3986, section 2.3). */
export function quoted(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, escaped);
}

/** Percent-encode characters not allowed in a URL; reserved characters and triplets stay. */
export function quotedReserved(text: string): string {
  return encodeURI(text).replace(/%(5[BD]|25(?=[0-9A-Fa-f]{2}))/g, decodeURIComponent);
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function variablesOf(operator: string, list: string): Variable[] | null {
  const found = list.split(",").map((part) => VARIABLE.exec(part));
  if (found.includes(null)) return null;
  return (found as RegExpExecArray[]).map(([whole, written, prefix]) => ({
    name: unquoted(written!),
    written: written!,
    operator,
    explode: whole.endsWith("*"),
    prefix: Number(prefix ?? 0),
    optional: !/^\+?$/.test(operator),
  }));
}

function unquoted(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function partsOf(variable: Variable, value: TemplateValue): string[] {
  const { operator, written } = variable;
  const quote = /[+#]/.test(operator) ? quotedReserved : quoted;
  // Among named values, an empty one has no equals sign after ";".
  const name = (text: string): string => (/[;?&]/.test(operator) ? written + (text || operator !== ";" ? `=${text}` : "") : text);
  if (typeof value === "string") {
    const shown = variable.prefix ? [...value].slice(0, variable.prefix).join("") : value;
    return [name(quote(shown))];
  }
  if (!(value instanceof Map)) {
    const texts = (value as readonly string[]).map(quote);
    return variable.explode ? texts.map(name) : texts.length ? [name(texts.join())] : [];
  }
  const pairs = [...value].map(([key, item]) => [quote(key), quote(item)]);
  if (variable.explode) return pairs.map((pair) => pair.join("="));
  return pairs.length ? [name(pairs.flat().join())] : [];
}
