import { setTimeout as delay, setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { JsonObject } from "@purse/protocol";
import {
  type DocumentNode,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from "graphql";
import { bypassesPermissions, type RequestContext } from "../../core/authContext.ts";
import { addressKey } from "../../core/http/address.ts";
import { CLIENT_BODY_LIMITS } from "../../core/http/bodyParser.ts";
import { FairQueue } from "../../core/limits/fairQueue.ts";
import { ownTurn, TimeSlicer } from "../../core/limits/timeSlicer.ts";
import { clientErrors, detached, MAX_ERRORS } from "./errors.ts";
import { type InputSize, tooComplex } from "./inputSize.ts";
import { ListBudget } from "./listBudget.ts";
import {
  checkInput,
  type Inputs,
  measureCost,
  measureDocument,
  type OperationCost,
  type QueryLimits,
  sizesOfVariables,
  tooExpensive,
} from "./queryLimits.ts";
import type { SchemaCache } from "./schemaCache.ts";
import { TextCache } from "./textCache.ts";

interface OperationLimits extends QueryLimits {
  /** Maximum size of the input of an operation in bytes: with a session or a key, without, and of all files. */
  maxBodyBytes: number;
  maxAnonymousBodyBytes: number;
  maxUploadBytes: number;
}

export interface PrepareDependencies {
  schemaCache: Pick<SchemaCache, "get">;
  /** Whether clients without the master key may read the schema. */
  isIntrospectionPublic: boolean;
  limits: OperationLimits;
}

/** An operation as clients send it. */
export interface OperationRequest {
  query: string;
  variables?: JsonObject | undefined;
  operationName?: string | undefined;
}

/** What graphql-js executes, except for the context. */
interface PreparedOperation {
  args: ExecutionArgs;
  operation: OperationDefinitionNode;
  /** Returns what the lists of one execution may cost; undefined for any. */
  openLists(): ListBudget | undefined;
}

/** Returns an operation that may be executed, or why it may not. Rejects with 155 while too many documents wait. */
export type PrepareOperation = (
  request: OperationRequest,
  sender: Pick<RequestContext, "auth" | "ip">,
) => Promise<PreparedOperation | readonly GraphQLError[]>;

/** A document that has been parsed and validated, or why it cannot be executed. */
interface CheckedDocument {
  schema: GraphQLSchema;
  result: { document: DocumentNode; inputs: Inputs } | readonly GraphQLError[];
}

/** Tokens of a document. Parsing and validating this many takes up to 20 ms. */
const MAX_TOKENS = 10_000;
/** Comments are no tokens, but take as long. */
const MAX_COMMENTS = 10_000;
/** Characters of a document: comments and spaces are no tokens. */
const MAX_DOCUMENT_LENGTH = 256 * 1024;
/** A step of a document of this many characters may take longer than a turn has. */
const LARGE_DOCUMENT_LENGTH = 4_000;
/** Sizes of the cache of documents, which take about 200 bytes per character. */
const DOCUMENT_CACHE = { maxChars: 250_000, maxEntryChars: 20_000 };
/** Each error of a variable contains its entire value before it is cut. */
const LARGE_VARIABLES = { bytes: 10_000, values: 1_000 };
const VERY_LARGE_VARIABLES = { bytes: 100_000, values: 5_000 };
/** After a longer check of a document the next one waits as long as it took, at most this long. */
const SHORT_CHECK_MS = 3;
const MAX_PAUSE_MS = 50;

/**
 * Creates what decides whether an operation is executed: the same for all ways in which clients send operations. The
 * document is parsed, measured and validated once; what depends on the variables is checked each time.
 */
export function createPrepareOperation({
  schemaCache,
  isIntrospectionPublic,
  limits,
}: PrepareDependencies): PrepareOperation {
  const charsOf = (text: string) => text.length;
  /** By the text of the document. */
  const caches = {
    limited: new TextCache<CheckedDocument>({ ...DOCUMENT_CACHE, charsOf }),
    unlimited: new TextCache<CheckedDocument>({ ...DOCUMENT_CACHE, charsOf }),
  };
  const queue = new FairQueue({
    concurrency: 1,
    maxWaiting: 10_000,
    maxWaitingPerKey: 1_000,
    maxWaitMs: 10_000,
    message: "Too many GraphQL documents at a time.",
  });

  /** Takes several steps, so that other requests are served between those of a large document. */
  async function check(
    query: string,
    schema: GraphQLSchema,
    isLimited: boolean,
    { step }: Steps,
  ): Promise<CheckedDocument["result"]> {
    let document: DocumentNode;
    try {
      if (isLimited && query.length > MAX_DOCUMENT_LENGTH)
        throw tooComplex(
          `The document is longer than ${MAX_DOCUMENT_LENGTH} characters: send values as variables.`,
        );
      if (isLimited && hasManyComments(query))
        throw tooComplex(`The document has more than ${MAX_COMMENTS} comments.`);
      document = await step(() => parseDocument(query, isLimited));
    } catch (error) {
      if (error instanceof GraphQLError) return [withCode(error, "GRAPHQL_PARSE_FAILED")];
      throw error;
    }
    let inputs: Inputs = new Map();
    if (isLimited) {
      try {
        inputs = await step(() => measureDocument(document, limits));
      } catch (error) {
        if (error instanceof GraphQLError) return [withCode(error, "GRAPHQL_VALIDATION_FAILED")];
        throw error;
      }
    }
    const isSchemaHidden = isLimited && !isIntrospectionPublic;
    const rules = isSchemaHidden ? [...specifiedRules, NoSchemaIntrospectionCustomRule] : specifiedRules;
    const options = { maxErrors: MAX_ERRORS, hideSuggestions: isSchemaHidden };
    const errors = await step(() => validate(schema, document, rules, options));
    if (errors.length === 0) return { document, inputs };
    return clientErrors(errors.map((error) => withCode(error, "GRAPHQL_VALIDATION_FAILED")));
  }

  async function checkedDocument(query: string, isLimited: boolean, ip: string) {
    const cache = caches[isLimited ? "limited" : "unlimited"];
    const schema = await schemaCache.get();
    const known = cache.get(query);
    if (known?.schema === schema) return known;
    const key = isLimited ? addressKey(ip) : undefined;
    return queue.run({ key }, async () => {
      const before = cache.get(query);
      if (before?.schema === schema) return before;
      const steps = new Steps(query.length >= LARGE_DOCUMENT_LENGTH);
      const checked = { schema, result: await check(query, schema, isLimited, steps) };
      cache.set(query, checked);
      await pauseAfter(steps.spentMs);
      return checked;
    });
  }

  return async function prepareOperation({ query, variables = {}, operationName }, { auth, ip }) {
    const isLimited = !bypassesPermissions(auth);
    const { schema, result } = await checkedDocument(query, isLimited, ip);
    if (!("document" in result)) return result;
    const { document, inputs } = result;
    const operation = getOperationAST(document, operationName);
    if (!operation)
      return [withCode(new GraphQLError("The document has no such operation."), "GRAPHQL_VALIDATION_FAILED")];
    const slices = new TimeSlicer(addressKey(ip));
    if (slices.isExpired) await slices.pause();
    const sizes = sizesOfVariables(operation, variables);
    let cost: OperationCost | undefined;
    if (isLimited) {
      const bytes = auth.kind === "anonymous" ? limits.maxAnonymousBodyBytes : limits.maxBodyBytes;
      const inputLimits = { bytes, json: CLIENT_BODY_LIMITS[auth.kind], fileBytes: limits.maxUploadBytes };
      const error = checkInput(inputs, operation, sizes, inputLimits);
      if (error) return [error];
      cost = measureCost(schema, document, operation, variables, limits);
      if (cost.total > limits.maxCost) return [tooExpensive(cost.total, limits.maxCost)];
    }
    const total = totalOf(sizes.values());
    const isVeryLarge = exceeds(total, VERY_LARGE_VARIABLES);
    // Coercing them takes as long as parsing them has taken.
    if (isVeryLarge || slices.isExpired) await slices.pause();
    const maxCoercionErrors = isVeryLarge ? 0 : exceeds(total, LARGE_VARIABLES) ? 1 : MAX_ERRORS;
    return {
      args: {
        schema,
        document,
        operationName,
        variableValues: variables,
        hideSuggestions: isLimited && !isIntrospectionPublic,
        options: { maxCoercionErrors },
      },
      operation,
      openLists: () => cost && new ListBudget(cost, limits.maxCost),
    };
  };
}

/** Whether a document may have too many comments, some of which may be characters of texts. */
function hasManyComments(query: string): boolean {
  let comments = 0;
  for (let at = query.indexOf("#"); at >= 0; at = query.indexOf("#", at + 1)) {
    comments += 1;
    if (comments > MAX_COMMENTS) return true;
  }
  return false;
}

/** The steps of a check: each in a turn of its own for a large document. */
class Steps {
  /** How long the steps have taken together, in ms. */
  spentMs = 0;
  readonly #areLong: boolean;

  constructor(areLong: boolean) {
    this.#areLong = areLong;
  }

  readonly step = async <T>(run: () => T): Promise<T> => {
    if (this.#areLong) await ownTurn();
    const started = performance.now();
    try {
      return run();
    } finally {
      this.spentMs += performance.now() - started;
    }
  };
}

/** Leaves as much time to other requests as checking a document took, before the next one is checked. */
async function pauseAfter(ms: number): Promise<void> {
  if (ms < SHORT_CHECK_MS) await yieldToEventLoop();
  else await delay(Math.min(ms, MAX_PAUSE_MS));
}

type TotalSize = Pick<InputSize, "bytes" | "values">;

function totalOf(sizes: Iterable<InputSize>): TotalSize {
  const total = { bytes: 0, values: 0 };
  for (const { bytes, values } of sizes) {
    total.bytes += bytes;
    total.values += values;
  }
  return total;
}

function exceeds({ bytes, values }: TotalSize, limit: TotalSize): boolean {
  return bytes > limit.bytes || values > limit.values;
}

/** Parses a document. Throws GraphQLError for one that is too deep, or too long if `isLimited`. */
function parseDocument(query: string, isLimited: boolean): DocumentNode {
  try {
    return parse(query, isLimited ? { maxTokens: MAX_TOKENS } : {});
  } catch (error) {
    if (error instanceof RangeError) throw tooComplex("The document is nested too deeply.");
    throw error;
  }
}

function withCode(error: GraphQLError, code: string): GraphQLError {
  return detached(error, { code, ...error.extensions });
}
