import { assertWithinJsonLimits, isJsonObject, type JsonLimits, ProtocolError } from "@purse/protocol";
import { type DocumentNode, GraphQLError, type ParseOptions, parse, type Source } from "graphql";
import type { Plugin } from "graphql-yoga";
import { bypassesPermissions } from "../core/authContext.ts";
import { CLIENT_BODY_LIMITS } from "../core/http/bodyParser.ts";
import type { GraphqlContext } from "./context.ts";
import { isForm, MAX_PARTS } from "./formParts.ts";
import { tooComplex } from "./queryLimits.ts";

/** Tokens of a document. Each takes hundreds of bytes once it has been parsed. */
const MAX_TOKENS = 20_000;
/** Length of a path to which the map of a multipart request assigns a file. */
const MAX_FILE_PATH_LENGTH = 500;

/** Parses a document. Throws GraphQLError for one that is too deep, or too long if `isLimited`. */
export function parseDocument(
  source: string | Source,
  isLimited: boolean,
  options: ParseOptions = {},
): DocumentNode {
  try {
    return parse(source, isLimited ? { ...options, maxTokens: MAX_TOKENS } : options);
  } catch (error) {
    if (error instanceof RangeError) throw tooComplex("The document is nested too deeply.");
    throw error;
  }
}

/** Rejects requests whose documents or forms would take much time or memory before they are validated. */
export function createRequestGuard(): Plugin<GraphqlContext, GraphqlContext> {
  return {
    onRequestParse({ request, serverContext, requestParser, setRequestParser }) {
      if (!requestParser || !isForm(request.headers.get("content-type"))) return;
      setRequestParser(async (form) => {
        const fields = await form.formData().catch(() => {
          throw badForm("The form is not valid, or one of its fields is too long.");
        });
        assertForm(fields, CLIENT_BODY_LIMITS[serverContext.requestContext.auth.kind]);
        // It receives the same fields, which are read only once.
        return requestParser(form);
      });
    },
    onParse({ context, setParseFn }) {
      const isLimited = !bypassesPermissions(context.requestContext.auth);
      setParseFn((source: string | Source, options?: ParseOptions) =>
        parseDocument(source, isLimited, options),
      );
    },
  };
}

function assertForm(form: FormData, limits: JsonLimits): void {
  for (const name of ["operations", "map"]) {
    const text = form.get(name);
    if (typeof text !== "string") continue;
    try {
      assertWithinJsonLimits(text, limits);
    } catch (error) {
      if (error instanceof ProtocolError) throw badForm(error.message);
      throw error;
    }
  }
  const map = form.get("map");
  if (typeof map === "string") assertMap(map);
}

/** Throws unless a map consists of lists of short paths. Anything else that is wrong is rejected when it is used. */
function assertMap(text: string): void {
  let map: unknown;
  try {
    map = JSON.parse(text);
  } catch {
    return;
  }
  const lists: unknown[] = isJsonObject(map) ? Object.values(map) : [undefined];
  const isPath = (path: unknown) => typeof path === "string" && path.length <= MAX_FILE_PATH_LENGTH;
  if (lists.length <= MAX_PARTS && lists.every((paths) => Array.isArray(paths) && paths.every(isPath)))
    return;
  throw badForm("The map of a form has a list of paths for each of its files.");
}

function badForm(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: "BAD_REQUEST", http: { status: 400 } } });
}
