import type { SecurityRequirement, SecurityScheme } from "../link.js";
import { type Description, type Node, BrokenReference, followed, mapping, text } from "./nodes.js";

export type Schemes = ReadonlyMap<string, SecurityScheme>;

/** Return the security schemes of a description by name. */
export function readSchemes(description: Description): Schemes {
  const { root, isOld, issues } = description;
  const described = mapping(isOld ? root["securityDefinitions"] : mapping(root["components"])["securitySchemes"]);
  const schemes = new Map<string, SecurityScheme>();
  for (const [name, node] of Object.entries(described)) {
    try {
      schemes.set(name, schemeOf(name, followed(description, node, "security scheme")));
    } catch (error) {
      if (!(error instanceof BrokenReference)) throw error;
      issues.push(`security scheme ${name}: ${error.message}`);
    }
  }
  return schemes;
}

function schemeOf(name: string, node: Node): SecurityScheme {
  const type = text(node["type"]);
  const isBasic = type === "basic";
  return {
    name,
    type: isBasic ? "http" : type,
    scheme: isBasic ? "basic" : text(node["scheme"]).toLowerCase(),
    in: text(node["in"]),
    parameter: text(node["name"]),
  };
}

/** Return the alternatives of a list of requirements; null if there is no list. */
export function readSecurity(node: unknown, schemes: Schemes): SecurityRequirement[] | null {
  if (!Array.isArray(node)) return null;
  return node.map((requirement) =>
    Object.keys(mapping(requirement)).map((name) => schemes.get(name) ?? { name, type: "unknown" }),
  );
}
