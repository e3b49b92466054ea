import { createHash } from "node:crypto";
import { escapeHtml, isJsonObject, type JsonObject, type JsonValue } from "@purse/protocol";
import { z } from "zod";
import type { ApiReply } from "./apiRoute.ts";
import { PAGE_TOOLS, renderTryForm } from "./referencePageForms.ts";
import { PAGE_SCRIPT } from "./referencePageScript.ts";
import { PAGE_STYLE } from "./referencePageStyle.ts";

/** Whether the page calls operations by their ids or by their methods and paths. */
export type OperationNames = "ids" | "paths";

export interface ReferencePageOptions {
  /** By ids by default. */
  names?: OperationNames;
  /** Whether the page has forms that send requests with a key, to the server that it comes from. */
  isInteractive?: boolean;
}

export interface ReferencePage {
  html: string;
  /**
   * Value of the Content-Security-Policy header: the page loads nothing, runs no script but that of its forms, and sends
   * requests only to its own server.
   */
  policy: string;
}

const jsonObject = z.custom<JsonObject>(isJsonObject);
/** A JSON Schema; true allows any value. */
const jsonSchema = z.union([jsonObject, z.literal(true).transform((): JsonObject => ({}))]);
const securitySchema = z.array(z.record(z.string(), z.array(z.string())));
const contentSchema = z
  .object({ "application/json": z.object({ schema: jsonSchema.optional() }).optional() })
  .optional();
const parameterSchema = z.object({
  name: z.string(),
  in: z.enum(["path", "query", "header", "cookie", "body"]),
  required: z.boolean().default(false),
  description: z.string().default(""),
  schema: jsonSchema.default({}),
});
const referenceSchema = z.object({ $ref: z.string() });
const operationSchema = z.object({
  operationId: z.string().regex(/^[\w.-]+$/),
  summary: z.string().default(""),
  description: z.string().default(""),
  tags: z.array(z.string()).default([]),
  parameters: z.array(z.union([referenceSchema, parameterSchema])).default([]),
  security: securitySchema.optional(),
  requestBody: z.object({ content: contentSchema, required: z.boolean().default(false) }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string().default(""), content: contentSchema })),
});
const optionalOperation = operationSchema.optional();
const pathSchema = z.object({
  get: optionalOperation,
  put: optionalOperation,
  post: optionalOperation,
  patch: optionalOperation,
  delete: optionalOperation,
});
/** The parts of an OpenAPI 3.1 document that the page shows. */
const documentSchema = z.object({
  info: z.object({ title: z.string(), description: z.string().default("") }),
  servers: z.array(z.object({ url: z.string() })).default([]),
  tags: z.array(z.object({ name: z.string(), description: z.string().default("") })).default([]),
  paths: z.record(z.string(), pathSchema),
  security: securitySchema.default([]),
  components: z
    .object({
      schemas: z.record(z.string(), jsonObject).default({}),
      parameters: z.record(z.string(), parameterSchema).default({}),
      securitySchemes: z.record(z.string(), jsonObject).default({}),
    })
    .default({ schemas: {}, parameters: {}, securitySchemes: {} }),
});

type Parameter = z.output<typeof parameterSchema>;
type Schemas = Readonly<Record<string, JsonObject>>;
interface Operation extends Omit<z.output<typeof operationSchema>, "parameters"> {
  name: string;
  parameters: Parameter[];
  method: string;
  path: string;
}

/** The group of operations without a tag. */
const OTHER = { name: "other", description: "Other" };

/**
 * Creates a standalone HTML page for an OpenAPI 3.1 document that is served beside it as `openapi.json`. Operations are
 * shown by their first tag. References to schemas and parameters are resolved. Throws ZodError if an operation has no id.
 */
export function createReferencePage(
  document: JsonObject,
  { names = "ids", isInteractive = false }: ReferencePageOptions = {},
): ReferencePage {
  const { info, servers, tags, paths, security, components } = documentSchema.parse(document);
  const serverUrl = servers[0]?.url ?? "";
  const { schemas, securitySchemes } = components;
  const commandOf = (operation: Operation) => {
    const headers = Object.keys((operation.security ?? security)[0] ?? {}).flatMap((name) => {
      const scheme = securitySchemes[name];
      return scheme?.in === "header" ? [`-H '${String(scheme.name)}: YOUR_KEY'`] : [];
    });
    return curl(["curl", ...headers].join(" "), operation, serverUrl, schemas);
  };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, each]): Operation => {
      const parameters = each.parameters.flatMap((parameter) =>
        "$ref" in parameter
          ? (components.parameters[parameter.$ref.replace("#/components/parameters/", "")] ?? [])
          : parameter,
      );
      const name = names === "ids" ? each.operationId : `${method.toUpperCase()} ${path}`;
      return { ...each, name, parameters, method: method.toUpperCase(), path };
    }),
  );
  const tagOf = (operation: Operation) => tags.find(({ name }) => name === operation.tags[0]) ?? OTHER;
  const groups = [...tags, OTHER]
    .map((tag) => ({ ...tag, operations: operations.filter((each) => tagOf(each) === tag) }))
    .filter((group) => group.operations.length > 0);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<a class="skip" href="#endpoints">Skip to endpoints</a>
<header>
<h1>${escapeHtml(info.title)}</h1>
<p>${operations.length} endpoints below <code>${escapeHtml(serverUrl)}</code>, with an OpenAPI description in
<a href="openapi.json">openapi.json</a>.</p>
${info.description
  .split(/\n{2,}/)
  .map((paragraph) => `<p>${renderText(paragraph)}</p>`)
  .join("\n")}
</header>
<nav aria-label="Endpoints">
${groups
  .map(
    ({ name, description, operations: of }) => `<h2>${escapeHtml(description || name)}</h2>
<ul>${of.map(({ operationId, name: title }) => `<li><a href="#${operationId}">${escapeHtml(title)}</a></li>`).join("")}</ul>`,
  )
  .join("\n")}
</nav>
<main id="endpoints">
${isInteractive ? PAGE_TOOLS : ""}
${groups
  .map(
    ({
      name,
      description,
      operations: of,
    }) => `<section class="group" aria-labelledby="group-${escapeHtml(name)}">
<h2 id="group-${escapeHtml(name)}">${escapeHtml(description || name)}</h2>
${of.map((each) => renderOperation(each, commandOf(each), schemas, isInteractive)).join("\n")}
</section>`,
  )
  .join("\n")}
</main>
${isInteractive ? `<script>${PAGE_SCRIPT}</script>` : ""}
</body>
</html>
`;
  const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(PAGE_STYLE)}`,
    ...(isInteractive ? [`script-src ${hashOf(PAGE_SCRIPT)}`, "connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return { html, policy };
}

/** The page as a reply. */
export function referencePageReply(document: JsonObject, options?: ReferencePageOptions): ApiReply {
  const { html, policy } = createReferencePage(document, options);
  return {
    status: 200,
    body: html,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache",
    },
  };
}

function renderOperation(
  operation: Operation,
  shellCommand: string,
  schemas: Schemas,
  isInteractive: boolean,
): string {
  const { operationId: id, name, method, path, summary, description } = operation;
  const parameters = [...operation.parameters, ...bodyParameters(operation, schemas)].map(renderParameter);
  const [status = "", response] = Object.entries(operation.responses)[0] ?? [];
  const schema = response?.content?.["application/json"]?.schema;
  const example = schema && JSON.stringify(exampleOf(schema, schemas), null, 2);
  return `<article id="${id}">
<div class="summary">
<h3><a href="#${id}">${escapeHtml(name)}</a></h3>
<p class="route"><span class="method">${method}</span> <code>${escapeHtml(path).replaceAll("/", "/<wbr>")}</code></p>
<p>${renderText(`${summary} ${description}`.trim())}</p>
</div>
${parameters.length > 0 ? `<dl>\n${parameters.join("\n")}\n</dl>` : ""}
<pre class="curl" tabindex="0" role="region" aria-label="${id} with curl"><code>${escapeHtml(shellCommand)}</code></pre>
<details>
<summary>Response: ${status} ${schema ? escapeHtml(describeSchema(schema)) : ""}</summary>
<p>${renderText(response?.description ?? "")}</p>
${example === undefined ? "" : `<pre tabindex="0" role="region" aria-label="Example response of ${id}"><code>${escapeHtml(example)}</code></pre>`}
</details>
${isInteractive ? renderTryForm(formOf(operation, schemas)) : ""}
</article>`;
}

function formOf({ operationId: id, method, path, parameters, requestBody }: Operation, schemas: Schemas) {
  const schema = requestBody?.content?.["application/json"]?.schema;
  return {
    id,
    method,
    path,
    parameters: parameters.map((parameter) => ({ ...parameter, sample: sampleOf(parameter, schemas) })),
    body: schema && JSON.stringify(exampleOf(schema, schemas), null, 2),
  };
}

/** An example of a parameter as it is sent: the values of a list with commas between them. */
function sampleOf({ schema }: Parameter, schemas: Schemas): string {
  return [exampleOf(schema, schemas)].flat().join(",");
}

/** The properties of a JSON body, or the body itself if it has none. */
function bodyParameters({ requestBody }: Operation, schemas: Schemas): Parameter[] {
  const schema = requestBody?.content?.["application/json"]?.schema;
  if (!requestBody || !schema) return [];
  const body = resolveReference(schema, schemas);
  const required = Array.isArray(body.required) ? body.required : [];
  const properties = Object.entries(isJsonObject(body.properties) ? body.properties : { body });
  return properties.map(([name, each]) => {
    const property = isJsonObject(each) ? each : {};
    return {
      name,
      in: "body",
      required: each === body ? requestBody.required : required.includes(name),
      description: String(property.description ?? ""),
      schema: property,
    };
  });
}

function renderParameter({ name, in: location, required, description, schema }: Parameter): string {
  const defaultValue = schema.default === undefined ? "" : `, default ${String(schema.default)}`;
  const requirement = required ? '<span class="required">required</span>' : "optional";
  return `<dt><code>${escapeHtml(name)}</code></dt>
<dd><span class="kind">${location}, ${escapeHtml(describeSchema(schema))}, ${requirement}${escapeHtml(defaultValue)}</span> ${renderText(description)}</dd>`;
}

/** A JSON Schema in a few words. */
function describeSchema(schema: JsonObject): string {
  const { $ref, anyOf, type, items, minimum, maximum, format, const: constant } = schema;
  if (typeof $ref === "string") return $ref.slice($ref.lastIndexOf("/") + 1);
  if (constant !== undefined) return String(constant);
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.join(", ")}`;
  if (Array.isArray(anyOf))
    return anyOf.map((each) => (isJsonObject(each) ? describeSchema(each) : "")).join(" or ");
  if (type === "array") return `list of ${isJsonObject(items) ? describeSchema(items) : "values"}`;
  if (format === "date-time") return "date and time";
  if (minimum !== undefined && maximum !== undefined) return `${String(type)} from ${minimum} to ${maximum}`;
  return type === undefined ? "any JSON" : [type].flat().join(" or ");
}

/** A shell command with only the required parameters, beginning with `command`. */
function curl(
  command: string,
  { method, path, parameters, requestBody }: Operation,
  serverUrl: string,
  schemas: Schemas,
): string {
  const sentPath = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const found = parameters.find((each) => each.in === "path" && each.name === name);
    return found ? encodeURIComponent(sampleOf(found, schemas)) : "";
  });
  const query = new URLSearchParams(
    parameters
      .filter((each) => each.in === "query" && each.required)
      .map((each) => [each.name, sampleOf(each, schemas)]),
  ).toString();
  const schema = requestBody?.content?.["application/json"]?.schema;
  return [
    command,
    ...(method === "GET" ? [] : [`-X ${method}`]),
    ...(schema
      ? [`-H 'Content-Type: application/json' -d '${JSON.stringify(exampleOf(schema, schemas))}'`]
      : []),
    `'${serverUrl}${sentPath}${query && `?${query}`}'`,
  ].join(" ");
}

/** An example value: that of the schema, or one made of those of its parts. */
function exampleOf(schema: JsonObject, schemas: Schemas): JsonValue {
  const { examples, anyOf, type, items, properties, ...resolved } = resolveReference(schema, schemas);
  if (Array.isArray(examples) && examples[0] !== undefined) return examples[0];
  const fixed =
    resolved.default ?? resolved.const ?? (Array.isArray(resolved.enum) ? resolved.enum[0] : undefined);
  if (fixed !== undefined) return fixed;
  if (Array.isArray(anyOf) && isJsonObject(anyOf[0])) return exampleOf(anyOf[0], schemas);
  if (isJsonObject(items)) return [exampleOf(items, schemas)];
  if (isJsonObject(properties))
    return Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [
        name,
        isJsonObject(each) ? exampleOf(each, schemas) : null,
      ]),
    );
  return type === "string"
    ? "text"
    : type === "boolean"
      ? true
      : type === "array"
        ? []
        : type === "object"
          ? {}
          : 1;
}

function resolveReference(schema: JsonObject, schemas: Schemas): JsonObject {
  return typeof schema.$ref === "string"
    ? (schemas[schema.$ref.replace("#/components/schemas/", "")] ?? {})
    : schema;
}

/** Escapes text; words in backticks become code. */
function renderText(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}
