import { ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import { Secret } from "otpauth";
import type { PasswordOrigin, Passwords } from "../auth/password.ts";
import { enrollFactor, verifyFactor } from "../auth/providers/mfa.ts";
import { foldName } from "../auth/uniqueKeys.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import { newObjectId } from "../data/objects/objectId.ts";
import type { StudioClasses } from "../data/schema/studioClasses.ts";
import { createRow, findRows, getRow, updateRow } from "../database/serverRows.ts";
import { type Store, UniqueConstraintError, type Write } from "../database/store.ts";
import type { StudioOperator } from "../studioApi/access.ts";
import { STUDIO_ROLES, type StudioRole } from "../studioApi/operatorRoles.ts";
import { type StudioTheme, studioTheme } from "../studioApi/theme.ts";
import { operatorPasskeyRecords } from "./operatorPasskeyRecords.ts";

export interface OperatorDependencies {
  store: Store;
  classes: StudioClasses;
  /** Milliseconds since the epoch. */
  clock(): number;
}

export interface OperatorAccountsDependencies extends OperatorDependencies {
  passwords: Passwords;
}

const USERNAME_SCOPE = "_Studio.username";
/** Reserved by the first operator permanently, so that the setup cannot be repeated. */
const FIRST_OPERATOR_SCOPE = "_Studio.first";
/** Reserved while operators are changed, so that two concurrent changes cannot remove the last two owners. */
const CHANGE_LOCK_SCOPE = "_Studio.changing";
const CHANGE_LOCK_MS = 10_000;
const MIN_PASSWORD_LENGTH = 12;
const MAX_OPERATORS = 1_000;

/** Operators of the server: accounts that only the admin API knows. */
export class Operators {
  readonly #dependencies: OperatorAccountsDependencies;

  constructor(dependencies: OperatorAccountsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether there has never been an operator. */
  async isEmpty(): Promise<boolean> {
    return (await this.#dependencies.store.getUniqueOwner(FIRST_OPERATOR_SCOPE, "1")) === undefined;
  }

  /**
   * Creates an operator; with `mustBeFirst`, only if there has never been one. Throws 142 for invalid input, 202 if the
   * name is taken.
   */
  async add(
    input: { username: unknown; password: unknown; role: unknown },
    mustBeFirst = false,
    origin: PasswordOrigin = {},
  ): Promise<StudioOperator> {
    const username = parseUsername(input.username);
    const role = parseRole(input.role);
    const passwordHash = await this.#dependencies.passwords.hash(
      parsePassword(input.password, username),
      origin,
    );
    const id = newObjectId();
    const { classes, clock } = this.#dependencies;
    const fields = { username, role, isDisabled: false, ACL: {} };
    const row = createRow(classes._StudioOperator, id, clock(), fields);
    const isFirst = mustBeFirst || (await this.isEmpty());
    const writes: Write[] = [
      { kind: "reserveUnique", scope: USERNAME_SCOPE, value: foldName(username), owner: id },
      { ...row, secret: { passwordHash } },
    ];
    if (isFirst) writes.push({ kind: "reserveUnique", scope: FIRST_OPERATOR_SCOPE, value: "1", owner: id });
    try {
      await this.#dependencies.store.write(writes);
    } catch (error) {
      if (!(error instanceof UniqueConstraintError)) throw error;
      if (error.scope === FIRST_OPERATOR_SCOPE) throw alreadySetUpError();
      throw new ProtocolError(ErrorCode.USERNAME_TAKEN, "An operator with this name already exists.");
    }
    return toOperator(row.object);
  }

  async list(): Promise<StudioOperator[]> {
    const { store, classes } = this.#dependencies;
    const rows = await findRows(store, classes._StudioOperator, { order: "createdAt", limit: MAX_OPERATORS });
    return rows.map(toOperator);
  }

  async get(id: string): Promise<StudioOperator | undefined> {
    const row = await getRow(this.#dependencies.store, this.#dependencies.classes._StudioOperator, id);
    return row && toOperator(row);
  }

  /** Returns the id of a username, ignoring case. */
  findId(username: string): Promise<string | undefined> {
    return this.#dependencies.store.getUniqueOwner(USERNAME_SCOPE, foldName(username));
  }

  /** Whether a password is correct. Takes the same time if the operator does not exist. */
  async hasPassword(id: string | undefined, password: string, origin: PasswordOrigin): Promise<boolean> {
    const secret = id === undefined ? undefined : await this.#getSecret(id);
    const hash = typeof secret?.passwordHash === "string" ? secret.passwordHash : undefined;
    return this.#dependencies.passwords.verify(hash, password, origin);
  }

  async setPassword(id: string, password: unknown, origin: PasswordOrigin = {}): Promise<void> {
    const { username } = await this.require(id);
    const passwordHash = await this.#dependencies.passwords.hash(parsePassword(password, username), origin);
    await this.#dependencies.store.write([this.#update(id, {}, { passwordHash })]);
  }

  async setTheme(id: string, theme: StudioTheme): Promise<StudioOperator> {
    const known = await this.require(id);
    await this.#dependencies.store.write([this.#update(id, { theme })]);
    return { ...known, theme };
  }

  /** Throws 142 if no owner who can sign in would remain. */
  change(id: string, changes: { role?: StudioRole; isDisabled?: boolean }): Promise<StudioOperator> {
    return this.#withChangeLock(async () => {
      const known = await this.require(id);
      const next = { ...known, ...changes };
      await this.#assertOwnerRemains(id, next.role === "owner" && !next.isDisabled);
      await this.#dependencies.store.write([
        this.#update(id, { role: next.role, isDisabled: next.isDisabled }),
      ]);
      return next;
    });
  }

  remove(id: string): Promise<StudioOperator> {
    return this.#withChangeLock(async () => {
      const known = await this.require(id);
      await this.#assertOwnerRemains(id, false);
      const schema = this.#dependencies.classes._StudioOperator;
      await this.#dependencies.store.write([
        { kind: "delete", schema, id, subjects: null },
        ...(await this.#passkeyRemovalWrites(id)),
        { kind: "releaseAllUnique", scope: USERNAME_SCOPE, owner: id },
      ]);
      return known;
    });
  }

  /** Returns the writes of a sign-in, to be committed together with the session. */
  signInWrites(id: string): Write[] {
    return [this.#update(id, { lastSignInAt: new Date(this.#dependencies.clock()).toISOString() })];
  }

  /** Creates a secret for time-based codes, which becomes active once a code has been confirmed. Throws 119. */
  async beginFactor(id: string): Promise<string> {
    await this.assertNoFactor(id);
    const pendingFactor = new Secret({ size: 20 }).base32;
    await this.#dependencies.store.write([this.#update(id, {}, { pendingFactor })]);
    return pendingFactor;
  }

  /** Activates the second factor and returns the recovery codes, which are shown only once. Throws 141, 142. */
  async confirmFactor(id: string, code: unknown): Promise<string[]> {
    const secret = await this.#getSecret(id);
    const pending = secret?.pendingFactor;
    if (typeof pending !== "string" || typeof code !== "string") {
      throw new ProtocolError(
        ErrorCode.VALIDATION_ERROR,
        "Start the setup first, then confirm it with a code.",
      );
    }
    const {
      stored: kept,
      recovery,
      writes,
    } = enrollFactor(factorName(id), { secret: pending, token: code }, this.#dependencies.clock());
    await this.#consumeCode([
      ...writes,
      this.#update(id, { hasSecondFactor: true }, { factor: kept, pendingFactor: null }),
    ]);
    return recovery;
  }

  /** Removes all passkeys of an operator who has lost them, or whose account someone else has used. */
  async removePasskeys(id: string): Promise<void> {
    await this.#dependencies.store.write(await this.#passkeyRemovalWrites(id));
  }

  async #passkeyRemovalWrites(id: string): Promise<Write[]> {
    const records = operatorPasskeyRecords(this.#dependencies);
    return (await records.list(id)).flatMap((passkey) => records.removeWrites(passkey));
  }

  async removeFactor(id: string): Promise<void> {
    await this.#dependencies.store.write([
      this.#update(id, { hasSecondFactor: false }, { factor: null, pendingFactor: null }),
    ]);
  }

  /** Verifies and consumes a code; does nothing if the operator has no second factor. Throws 141. */
  async useFactor(id: string, code: unknown): Promise<void> {
    const secret = await this.#getSecret(id);
    if (!isJsonObject(secret?.factor)) return;
    const token = typeof code === "string" ? code : undefined;
    const { writes, next } = verifyFactor(factorName(id), secret.factor, token, this.#dependencies.clock());
    await this.#consumeCode(next ? [...writes, this.#update(id, {}, { factor: next })] : writes);
  }

  async require(id: string): Promise<StudioOperator> {
    const known = await this.get(id);
    if (known) return known;
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "The operator does not exist.");
  }

  /** Throws 119 if the operator has a second factor, which must be removed with a code before another one is set up. */
  async assertNoFactor(id: string): Promise<void> {
    if (!(await this.require(id)).hasSecondFactor) return;
    throw operationForbidden("Remove the existing second factor first.", 403);
  }

  /** Commits the writes of a code. If the same code is used concurrently, only one attempt succeeds. */
  async #consumeCode(writes: Write[]): Promise<void> {
    try {
      await this.#dependencies.store.write(writes);
    } catch (error) {
      if (error instanceof UniqueConstraintError)
        throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "Invalid MFA token");
      throw error;
    }
  }

  async #assertOwnerRemains(id: string, isStillOwner: boolean): Promise<void> {
    if (isStillOwner) return;
    const owners = (await this.list()).filter(({ role, isDisabled }) => role === "owner" && !isDisabled);
    if (owners.some((owner) => owner.id !== id)) return;
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "At least one owner who can sign in must remain.");
  }

  async #withChangeLock<T>(work: () => Promise<T>): Promise<T> {
    const owner = newObjectId();
    const expiresAt = this.#dependencies.clock() + CHANGE_LOCK_MS;
    const { store } = this.#dependencies;
    try {
      await store.write([{ kind: "reserveUnique", scope: CHANGE_LOCK_SCOPE, value: "1", owner, expiresAt }]);
    } catch (error) {
      if (!(error instanceof UniqueConstraintError)) throw error;
      throw new ProtocolError(
        ErrorCode.DUPLICATE_REQUEST,
        "Operators are being changed by someone else. Try again.",
        409,
      );
    }
    try {
      return await work();
    } finally {
      await store.write([{ kind: "releaseUnique", scope: CHANGE_LOCK_SCOPE, value: "1", owner }]);
    }
  }

  async #getSecret(id: string): Promise<JsonObject | undefined> {
    return (await this.#dependencies.store.getSecret(this.#dependencies.classes._StudioOperator, id))?.secret;
  }

  #update(id: string, fields: JsonObject, secret?: JsonObject): Write {
    const { classes, clock } = this.#dependencies;
    return { ...updateRow(classes._StudioOperator, id, clock(), fields), ...(secret && { secret }) };
  }
}

/** Scopes the codes of operators, separate from those of application users. */
function factorName(id: string): string {
  return `operator ${id}`;
}

function alreadySetUpError(): ProtocolError {
  return operationForbidden("The dashboard is already set up.", 403);
}

function parseUsername(value: unknown): string {
  if (typeof value === "string" && /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{1,99}$/u.test(value)) return value;
  throw new ProtocolError(
    ErrorCode.VALIDATION_ERROR,
    "A name has 2 to 100 letters, digits and . _ @ + -, and begins with a letter or digit.",
  );
}

function parseRole(value: unknown): StudioRole {
  const role = STUDIO_ROLES.find((each) => each === value);
  if (role) return role;
  throw new ProtocolError(ErrorCode.VALIDATION_ERROR, `The role must be one of ${STUDIO_ROLES.join(", ")}.`);
}

function parsePassword(value: unknown, username: string): string {
  if (typeof value !== "string" || [...value].length < MIN_PASSWORD_LENGTH || value.length > 1_000) {
    throw new ProtocolError(
      ErrorCode.VALIDATION_ERROR,
      `A password has ${MIN_PASSWORD_LENGTH} characters or more.`,
    );
  }
  if (value.toLowerCase().includes(username.toLowerCase()) || new Set(value).size < 5) {
    throw new ProtocolError(
      ErrorCode.VALIDATION_ERROR,
      "A password does not contain the name, and has five different characters or more.",
    );
  }
  return value;
}

function toOperator(object: JsonObject): StudioOperator {
  const { objectId, username, role, createdAt, hasSecondFactor, isDisabled, lastSignInAt } = object;
  const theme = studioTheme.safeParse(object.theme);
  return {
    id: String(objectId),
    username: String(username),
    role: parseRole(role),
    createdAt: String(createdAt),
    hasSecondFactor: hasSecondFactor === true,
    isDisabled: isDisabled === true,
    ...(typeof lastSignInAt === "string" && { lastSignInAt }),
    ...(theme.success && { theme: theme.data }),
  };
}
