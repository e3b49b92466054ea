import { pathToFileURL } from "node:url";
import {
  ErrorCode,
  isJsonObject,
  isRecord,
  type JsonObject,
  type JsonValue,
  ProtocolError,
} from "@purse/protocol";
import type { CustomAdapter } from "../../config/auth.ts";
import { isCustomAdapter, isImplemented } from "../../config/auth.ts";
import type { RequestContext } from "../../core/authContext.ts";
import type { AuthAdapter, AuthCheck, AuthPolicy, AuthResult } from "./adapter.ts";
import { adapterReadRequest, adapterRequest } from "./adapterRequest.ts";

const POLICIES: ReadonlySet<unknown> = new Set<AuthPolicy>(["default", "solo", "additional"]);

/**
 * Wraps a custom adapter: an object, or the path of a module whose default export is one. It has `validateAuthData`, or
 * `validateSetUp`, `validateLogin` and `validateUpdate`. Its errors are returned to the client: those with a code
 * unchanged, others with 141.
 */
export async function customAdapter(
  provider: string,
  module: string | CustomAdapter,
  options: JsonObject,
  isParseCompatible: boolean,
): Promise<AuthAdapter> {
  const adapter = typeof module === "string" ? await load(module) : module;
  const { policy: fixedPolicy } = adapter;
  if (typeof fixedPolicy !== "function" && !isPolicyOrNone(fixedPolicy)) {
    throw new Error(
      `the policy of the sign-in adapter ${provider} must be "default", "solo" or "additional"`,
    );
  }
  await adapter.validateOptions?.(options);
  return {
    allowsMissingId: true,
    ...(adapter.beforeFind && {
      async identify(authData: JsonObject): Promise<JsonObject> {
        const identified = structuredClone(authData);
        try {
          await adapter.beforeFind?.(identified);
        } catch (error) {
          throw rejection(error, "Auth failed. Unknown error.");
        }
        const plain = jsonOf(identified);
        return isJsonObject(plain) ? plain : {};
      },
    }),
    async validateAuthData(authData, check) {
      try {
        const request = adapterRequest(check, undefined);
        if (options.appIds !== undefined)
          await adapter.validateAppId?.(options.appIds, authData, options, request);
        return resultOf(authData, await runStep(authData, check));
      } catch (error) {
        throw rejection(error, "Auth failed. Unknown error.");
      }
    },
    policy(check, stored) {
      const { policy } = adapter;
      const value =
        typeof policy === "function"
          ? policy.call(adapter, adapterRequest(check, undefined), stored)
          : policy;
      if (value === undefined || value === null) return "default";
      if (isPolicy(value)) return value;
      throw new ProtocolError(
        ErrorCode.OTHER_CAUSE,
        'AuthAdapter policy is not configured correctly. The value must be either "solo", "additional", "default" or undefined (will be handled as "default")',
      );
    },
    ...(isImplemented(adapter, "afterFind") && {
      async visible(authData: JsonObject, user: JsonObject, request: RequestContext): Promise<JsonValue> {
        // What it changes in its parameter is not stored.
        const shown = structuredClone(authData);
        const read = adapterReadRequest(user, request);
        // Parse Server passes undefined in place of the options.
        return (
          jsonOf(await adapter.afterFind?.(read, shown, isParseCompatible ? undefined : options)) || shown
        );
      },
    }),
    ...(isImplemented(adapter, "challenge") && {
      async challenge(
        data: JsonValue,
        authData: JsonValue | undefined,
        check: AuthCheck,
      ): Promise<JsonValue> {
        try {
          const answer = await adapter.challenge?.(data, authData, options, adapterRequest(check, undefined));
          return jsonOf(answer) || true;
        } catch (error) {
          throw rejection(error, "Challenge failed. Unknown error.");
        }
      },
    }),
  };

  async function runStep(authData: JsonObject, check: AuthCheck): Promise<unknown> {
    if (isImplemented(adapter, "validateAuthData")) {
      return adapter.validateAuthData?.(authData, options, adapterRequest(check, "validateAuthData"));
    }
    const known = isJsonObject(check.user?.authData) ? check.user.authData[provider] : undefined;
    const step = !known ? "validateSetUp" : check.isSignedIn ? "validateUpdate" : "validateLogin";
    return adapter[step]?.(authData, options, adapterRequest(check, step));
  }
}

/** What an adapter returns: `save` replaces the authData, `doNotSave` keeps what is stored. */
function resultOf(authData: JsonObject, result: unknown): AuthResult {
  if (!isRecord(result)) return { stored: authData };
  const saved = jsonOf(result.save);
  const id: JsonObject = authData.id === undefined ? {} : { id: authData.id };
  const response = jsonOf(result.response);
  return {
    stored: result.doNotSave ? undefined : isJsonObject(saved) ? { ...id, ...saved } : authData,
    ...(response && { response }),
  };
}

/** Adapters are code of the operator, so what they return is converted to JSON. */
function jsonOf(value: unknown): JsonValue {
  const text = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
}

function rejection(error: unknown, fallback: string): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const message = typeof error === "string" ? error : isRecord(error) ? error.message : undefined;
  const code = isRecord(error) && typeof error.code === "number" ? error.code : ErrorCode.SCRIPT_FAILED;
  return new ProtocolError(code, typeof message === "string" && message !== "" ? message : fallback);
}

async function load(path: string): Promise<CustomAdapter> {
  const module: { default?: unknown } = await import(pathToFileURL(path).href);
  const { default: exported } = module;
  // Of a CommonJS module, the default export is what require() returns.
  const unwrapped = isRecord(exported) && "default" in exported ? exported.default : exported;
  for (const each of [exported, unwrapped]) if (isCustomAdapter(each)) return each;
  throw new Error(
    `${path} must export an object with validateAuthData, or with validateSetUp, validateLogin and validateUpdate, as default`,
  );
}

function isPolicyOrNone(value: unknown): boolean {
  return value === undefined || value === null || isPolicy(value);
}

function isPolicy(value: unknown): value is AuthPolicy {
  return POLICIES.has(value);
}
