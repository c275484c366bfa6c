import type { Pagination } from "./pages.js";
import type { Writer } from "./request/writer.js";

/** A description of values, in terms of JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

export interface FieldInit {
  name: string;
  required?: boolean;
  location?: string;
  schema?: Schema | null;
  description?: string;
  example?: unknown;
  deprecated?: boolean;
  style?: string;
  explode?: boolean;
  allowReserved?: boolean;
  contentType?: string;
}

/**
 * One parameter of a link.
 *
 * `location` says where the value is sent: path, query, querystring, header, cookie, form or body; empty
 * leaves the choice to the client. `style`, `explode`, `allowReserved` and `contentType` say how it is
 * written, as in OpenAPI.
 */
export class Field implements Required<Omit<FieldInit, "example">> {
  readonly name!: string;
  readonly required!: boolean;
  readonly location!: string;
  readonly schema!: Schema | null;
  readonly description!: string;
  readonly example: unknown;
  readonly deprecated!: boolean;
  readonly style!: string;
  readonly explode!: boolean;
  readonly allowReserved!: boolean;
  readonly contentType!: string;

  constructor(init: FieldInit) {
    Object.freeze(Object.assign(this, FIELD, init));
  }
}

const FIELD: Omit<FieldInit, "name"> = {
  required: false,
  location: "",
  schema: null,
  description: "",
  deprecated: false,
  style: "",
  explode: false,
  allowReserved: false,
  contentType: "",
};

/** How one property of a form is written (the Encoding Object of OpenAPI). */
export interface PartEncoding {
  contentType?: string;
  style?: string;
  explode?: boolean;
  allowReserved?: boolean;
  /** Headers of the part whose value is fixed by the description. */
  headers?: readonly (readonly [name: string, value: string])[];
}

/** One media type for the body of a request, with its fields and parts. */
export interface Body {
  readonly mediaType: string;
  readonly fields: readonly Field[];
  readonly parts: Readonly<Record<string, PartEncoding>>;
  readonly required: boolean;
}

export interface SecurityScheme {
  name: string;
  type: string;
  scheme?: string;
  in?: string;
  parameter?: string;
}

/** One alternative of authentication: all of these schemes together; an empty one means anonymous access. */
export type SecurityRequirement = readonly SecurityScheme[];

/** Which types of server-sent events carry JSON or text, "" for all others, and the texts that are none of the JSON. */
export interface EventTypes {
  readonly json: readonly string[];
  readonly text: readonly string[];
  readonly constants: readonly string[];
}

/** What a stream consists of: events, or values, and the schema of their data; null if they may be anything. */
export interface StreamItem {
  readonly isEvent: boolean;
  readonly schema: Schema | null;
}

export interface LinkInit {
  url?: string;
  action?: string;
  encoding?: string;
  transform?: string;
  title?: string;
  description?: string;
  fields?: readonly (Field | string)[];
  operationId?: string;
  deprecated?: boolean;
  bodies?: readonly Body[];
  writer?: Writer | null;
  security?: readonly SecurityRequirement[] | null;
  result?: Schema | null;
  pagination?: Pagination | null;
  events?: EventTypes | null;
  item?: StreamItem | null;
  problem?: string;
}

/**
 * An operation: where to send a request, how, and which parameters it takes.
 *
 * `action` is an HTTP method in lower case, `encoding` the media type of the request body, `transform` is
 * "new", "inplace" or empty. `bodies` lists all media types for the request body; `encoding` and
 * `fields` are those of the first. `security` says which credentials are needed, `result` what is returned,
 * `writer` how values are written, `pagination` where the next page is.
 * `events` which data of server-sent events is JSON, `item` what a stream consists of. `problem`, if not empty, says why the operation cannot be called.
 */
export class Link {
  readonly url!: string;
  readonly action!: string;
  readonly encoding!: string;
  readonly transform!: string;
  readonly title!: string;
  readonly description!: string;
  readonly fields!: readonly Field[];
  readonly operationId!: string;
  readonly deprecated!: boolean;
  readonly bodies!: readonly Body[];
  readonly writer!: Writer | null;
  readonly security!: readonly SecurityRequirement[] | null;
  readonly result!: Schema | null;
  readonly pagination!: Pagination | null;
  readonly events!: EventTypes | null;
  readonly item!: StreamItem | null;
  readonly problem!: string;

  constructor(init: LinkInit = {}) {
    const fields = Object.freeze((init.fields ?? []).map(asField));
    Object.freeze(Object.assign(this, LINK, init, { fields }));
  }

  /** Return a link that differs in the named attributes. */
  replace(changes: LinkInit): Link {
    return new Link({ ...(this as unknown as LinkInit), ...changes });
  }
}

function asField(field: Field | string): Field {
  return field instanceof Field ? field : new Field({ name: field });
}

const LINK: LinkInit = {
  url: "",
  action: "",
  encoding: "",
  transform: "",
  title: "",
  description: "",
  operationId: "",
  deprecated: false,
  bodies: [],
  writer: null,
  security: null,
  result: null,
  pagination: null,
  events: null,
  item: null,
  problem: "",
};
