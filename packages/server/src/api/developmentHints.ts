import { ErrorCode, ProtocolError } from "@purse/protocol";
import { baseUrlOf } from "../core/http/serverUrl.ts";
import { type RefusedCredential, UnauthorizedError } from "../core/unauthorizedError.ts";

/** Says what a developer can do about an error; undefined for errors that say so themselves. */
export type HintFor = (error: unknown, path: string) => string | undefined;

export interface HintOptions {
  /** The URL of the Parse API. */
  serverUrl: string;
  /** The routes of the Parse API, below its URL. */
  paths: readonly string[];
}

const CREDENTIALS: Readonly<Record<RefusedCredential, string>> = {
  applicationId:
    "The application id is missing or is not that of this server. The app's home page and /config.json show it.",
  clientKey:
    "This server has keys of client apps (PURSE_CLIENT_KEY and others): send the one for this kind of client.",
  masterKey:
    "The master key is not that of this server (masterKey in data/keys.json, or PURSE_MASTER_KEY), or PURSE_MASTER_KEY_IPS does not allow this address.",
};
const DENIED = /^Permission denied for action (\w+) on class (\w+)\.$/;
const MISSING_CLASS = /^This user is not allowed to access non-existent class: (\w+)$/;
const SIGN_IN = "Permission denied, user needs to be authenticated.";

/**
 * Creates the hints for the mistakes of a first hour. They name what a server has and where: a server in production gives
 * none.
 */
export function createHints({ serverUrl, paths }: HintOptions): HintFor {
  const names = new Set(paths.map((path) => path.split("/")[1]));
  const openClass = `Open it with access in purse.config.ts, on the page Permissions of the studio, or with \`purse permissions set\`: ${baseUrlOf(serverUrl)}/docs/guide/permissions.`;
  return (error, path) => {
    if (!(error instanceof ProtocolError)) return undefined;
    if (error instanceof UnauthorizedError) return CREDENTIALS[error.refused];
    const { code, message } = error;
    if (code === ErrorCode.OBJECT_NOT_FOUND && message.startsWith("Not found: "))
      return names.has(path.split("/")[1]) ? `The URL of the Parse API is ${serverUrl}.` : undefined;
    if (message === SIGN_IN) return `Only signed-in users may do this: sign in first. ${openClass}`;
    const [, operation, className] = DENIED.exec(message) ?? [];
    if (operation === "addField")
      return `Clients may not add fields to ${className}: define the field in purse.config.ts or in the studio.`;
    if (className !== undefined)
      return `${className} is closed to this client for ${operation}. ${openClass}`;
    const [, missing] = MISSING_CLASS.exec(message) ?? [];
    return missing === undefined
      ? undefined
      : `There is no class ${missing}, and clients may not create any (PURSE_ALLOW_CLIENT_CLASS_CREATION): define it in purse.config.ts or in the studio.`;
  };
}
