import { isJsonObject, type JsonValue } from "@purse/protocol";
import { operationForbidden } from "../../core/operationForbidden.ts";

/** Fields that hold credentials: operators may read them, but they do not belong into the context of a model. */
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  ...["sessionToken", "authData", "password", "deviceToken"],
  ...["_hashed_password", "_session_token", "_perishable_token", "_email_verify_token", "_password_history"],
]);
const SECRET_NAME = new RegExp(
  `_auth_data_|(?<![A-Za-z0-9_])(?:${[...SECRET_FIELDS].join("|")})(?![A-Za-z0-9_])`,
);

/** Returns a value without the fields that hold credentials, at any depth. */
export function withoutSecrets(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) =>
      SECRET_FIELDS.has(name) || name.startsWith("_auth_data_") ? [] : [[name, withoutSecrets(each)]],
    ),
  );
}

/** Throws 119 if a query names a field that holds credentials, which its results would reveal bit by bit. */
export function assertNoSecrets(query: JsonValue): void {
  const found = SECRET_NAME.exec(JSON.stringify(query));
  if (found) throw operationForbidden(`${found[0]} holds credentials: it is not readable.`);
}
