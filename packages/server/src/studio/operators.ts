import {
  ErrorCode,
  isJsonObject,
  type JsonObject,
  type Operation,
  ProtocolError,
  type StudioOperator,
  type StudioRole,
} from "@purse/protocol";
import { Secret } from "otpauth";
import type { PasswordOrigin, Passwords } from "../auth/password.ts";
import { enrollFactor, verifyFactor } from "../auth/providers/mfa.ts";
import { foldName } from "../auth/uniqueKeys.ts";
import { newObjectId } from "../objects/objectId.ts";
import { ClaimTaken, type Store, type Write } from "../store/store.ts";
import type { StudioClasses } from "./studioClasses.ts";

export interface OperatorsParts {
  store: Store;
  classes: StudioClasses;
  /** Milliseconds since the epoch. */
  clock(): number;
}

export interface OperatorAccountsDependencies extends OperatorsParts {
  passwords: Passwords;
}

export const STUDIO_ROLES: readonly StudioRole[] = ["owner", "editor", "readOnly"];

const USERNAME = "_Studio.username";
/** Held by the first operator for good: nobody is set up as the first one after them. */
const FIRST = "_Studio.first";
/** Held while operators are changed, so that two do not each take away the other of the last two owners. */
const CHANGING = "_Studio.changing";
const CHANGING_MS = 10_000;
const MIN_PASSWORD = 12;
const MOST = 1_000;

/** The people who operate the server: accounts that no door but the studio's knows. */
export class Operators {
  readonly #parts: OperatorAccountsDependencies;

  constructor(parts: OperatorAccountsDependencies) {
    this.#parts = parts;
  }

  /** Whether there never was an operator. */
  async isEmpty(): Promise<boolean> {
    return (await this.#parts.store.ownerOf(FIRST, "1")) === undefined;
  }

  /** Makes an operator; `asFirst` only where there never was one. Throws 142 for bad input, 202 for a name that is taken. */
  async add(
    given: { username: unknown; password: unknown; role: unknown },
    asFirst = false,
    origin: PasswordOrigin = {},
  ): Promise<StudioOperator> {
    const username = usernameOf(given.username);
    const role = roleOf(given.role);
    const passwordHash = await this.#parts.passwords.hash(passwordOf(given.password, username), origin);
    const id = newObjectId();
    const at = this.#now();
    const object = { objectId: id, createdAt: at, updatedAt: at, username, role, isDisabled: false, ACL: {} };
    const schema = this.#parts.classes._StudioOperator;
    const isFirst = asFirst || (await this.isEmpty());
    const writes: Write[] = [
      { kind: "claim", scope: USERNAME, value: foldName(username), owner: id },
      { kind: "create", schema, id, at, object, secret: { passwordHash } },
    ];
    if (isFirst) writes.push({ kind: "claim", scope: FIRST, value: "1", owner: id });
    try {
      await this.#parts.store.write(writes);
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
      if (error.scope === FIRST) throw alreadySetUp();
      throw new ProtocolError(ErrorCode.USERNAME_TAKEN, "There is an operator of this name already.");
    }
    return read(object);
  }

  async list(): Promise<StudioOperator[]> {
    const texts = await this.#parts.store.find({
      schema: this.#parts.classes._StudioOperator,
      where: { kind: "and", conditions: [] },
      order: [{ path: ["createdAt"], descending: false }],
      limit: MOST,
      skip: 0,
      principals: null,
    });
    return texts.map((text) => read(JSON.parse(text)));
  }

  async get(id: string): Promise<StudioOperator | undefined> {
    const text = await this.#parts.store.get(this.#parts.classes._StudioOperator, id, null);
    return text === undefined ? undefined : read(JSON.parse(text));
  }

  /** The id behind a name, whatever its case. */
  idOf(username: string): Promise<string | undefined> {
    return this.#parts.store.ownerOf(USERNAME, foldName(username));
  }

  /** Whether a password is an operator's own. Takes as long for somebody who is not there. */
  async hasPassword(id: string | undefined, password: string, origin: PasswordOrigin): Promise<boolean> {
    const secret = id === undefined ? undefined : await this.#secretOf(id);
    const hash = typeof secret?.passwordHash === "string" ? secret.passwordHash : undefined;
    return this.#parts.passwords.verify(hash, password, origin);
  }

  async setPassword(id: string, password: unknown, origin: PasswordOrigin = {}): Promise<void> {
    const { username } = await this.require(id);
    const passwordHash = await this.#parts.passwords.hash(passwordOf(password, username), origin);
    await this.#parts.store.write([this.#update(id, {}, { passwordHash })]);
  }

  /** Throws 142 where no owner who can sign in would be left. */
  change(id: string, to: { role?: StudioRole; isDisabled?: boolean }): Promise<StudioOperator> {
    return this.#oneAfterTheOther(async () => {
      const known = await this.require(id);
      const next = { ...known, ...to };
      await this.#assertOwnerLeft(id, next.role === "owner" && !next.isDisabled);
      await this.#parts.store.write([this.#update(id, { role: next.role, isDisabled: next.isDisabled })]);
      return next;
    });
  }

  remove(id: string): Promise<StudioOperator> {
    return this.#oneAfterTheOther(async () => {
      const known = await this.require(id);
      await this.#assertOwnerLeft(id, false);
      const schema = this.#parts.classes._StudioOperator;
      await this.#parts.store.write([
        { kind: "delete", schema, id, principals: null },
        { kind: "releaseAll", scope: USERNAME, owner: id },
      ]);
      return known;
    });
  }

  /** The steps of a sign-in, for it to happen together with its session. */
  signedIn(id: string): Write[] {
    return [this.#update(id, { lastSignInAt: this.#now() })];
  }

  /** A new secret for time-based codes; it counts only once a code has shown that it arrived. Throws 119. */
  async beginFactor(id: string): Promise<string> {
    await this.assertNoFactor(id);
    const pendingFactor = new Secret({ size: 20 }).base32;
    await this.#parts.store.write([this.#update(id, {}, { pendingFactor })]);
    return pendingFactor;
  }

  /** Puts the second factor in force; answers the recovery codes, which are not told again. Throws 141, 142. */
  async confirmFactor(id: string, code: unknown): Promise<string[]> {
    const secret = await this.#secretOf(id);
    const pending = secret?.pendingFactor;
    if (typeof pending !== "string" || typeof code !== "string") {
      throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "Begin with a new secret, then show a code of it.");
    }
    const {
      stored: kept,
      recovery,
      writes,
    } = enrollFactor(factorName(id), { secret: pending, token: code }, this.#parts.clock());
    await this.#use([
      ...writes,
      this.#update(id, { hasSecondFactor: true }, { factor: kept, pendingFactor: null }),
    ]);
    return recovery;
  }

  async removeFactor(id: string): Promise<void> {
    await this.#parts.store.write([
      this.#update(id, { hasSecondFactor: false }, { factor: null, pendingFactor: null }),
    ]);
  }

  /** Checks a code and uses it up. Throws 141; nothing where the operator has no second factor. */
  async useFactor(id: string, code: unknown): Promise<void> {
    const secret = await this.#secretOf(id);
    if (!isJsonObject(secret?.factor)) return;
    const token = typeof code === "string" ? code : undefined;
    const { writes, next } = verifyFactor(factorName(id), secret.factor, token, this.#parts.clock());
    await this.#use(next ? [...writes, this.#update(id, {}, { factor: next })] : writes);
  }

  async require(id: string): Promise<StudioOperator> {
    const known = await this.get(id);
    if (known) return known;
    throw new ProtocolError(ErrorCode.OBJECT_NOT_FOUND, "There is no such operator.");
  }

  /** Throws 119 for whoever has a second factor: a code of it is shown, by removing it, before there is another. */
  async assertNoFactor(id: string): Promise<void> {
    if (!(await this.require(id)).hasSecondFactor) return;
    throw new ProtocolError(
      ErrorCode.OPERATION_FORBIDDEN,
      "Remove the second factor that is set up first.",
      403,
    );
  }

  /** Of those who show the same code at the same time one gets through. */
  async #use(writes: Write[]): Promise<void> {
    try {
      await this.#parts.store.write(writes);
    } catch (error) {
      if (error instanceof ClaimTaken) throw new ProtocolError(ErrorCode.SCRIPT_FAILED, "Invalid MFA token");
      throw error;
    }
  }

  async #assertOwnerLeft(id: string, staysOwner: boolean): Promise<void> {
    if (staysOwner) return;
    const owners = (await this.list()).filter(({ role, isDisabled }) => role === "owner" && !isDisabled);
    if (owners.some((owner) => owner.id !== id)) return;
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "There must be an owner left who can sign in.");
  }

  async #oneAfterTheOther<T>(work: () => Promise<T>): Promise<T> {
    const owner = newObjectId();
    const expiresAt = this.#parts.clock() + CHANGING_MS;
    const { store } = this.#parts;
    try {
      await store.write([{ kind: "claim", scope: CHANGING, value: "1", owner, expiresAt }]);
    } catch (error) {
      if (!(error instanceof ClaimTaken)) throw error;
      throw new ProtocolError(
        ErrorCode.DUPLICATE_REQUEST,
        "Somebody else is changing operators: try again.",
        409,
      );
    }
    try {
      return await work();
    } finally {
      await store.write([{ kind: "release", scope: CHANGING, value: "1", owner }]);
    }
  }

  async #secretOf(id: string): Promise<JsonObject | undefined> {
    return (await this.#parts.store.getSecret(this.#parts.classes._StudioOperator, id))?.secret;
  }

  #update(id: string, fields: JsonObject, secret?: JsonObject): Write {
    const operations = Object.fromEntries(
      Object.entries(fields).map(([name, value]): [string, Operation] => [name, { op: "Set", value }]),
    );
    const schema = this.#parts.classes._StudioOperator;
    return {
      kind: "update",
      schema,
      id,
      at: this.#now(),
      operations,
      principals: null,
      ...(secret && { secret }),
    };
  }

  #now(): string {
    return new Date(this.#parts.clock()).toISOString();
  }
}

/** Operators' codes are used up apart from those of an app's users. */
function factorName(id: string): string {
  return `operator ${id}`;
}

function alreadySetUp(): ProtocolError {
  return new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "The studio is set up already.", 403);
}

function usernameOf(value: unknown): string {
  if (typeof value === "string" && /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{1,99}$/u.test(value)) return value;
  throw new ProtocolError(
    ErrorCode.VALIDATION_ERROR,
    "A name has 2 to 100 letters, digits and . _ @ + -, and begins with a letter or digit.",
  );
}

export function roleOf(value: unknown): StudioRole {
  const role = STUDIO_ROLES.find((each) => each === value);
  if (role) return role;
  throw new ProtocolError(ErrorCode.VALIDATION_ERROR, `The role must be one of ${STUDIO_ROLES.join(", ")}.`);
}

function passwordOf(value: unknown, username: string): string {
  if (typeof value !== "string" || [...value].length < MIN_PASSWORD || value.length > 1_000) {
    throw new ProtocolError(ErrorCode.VALIDATION_ERROR, `A password has ${MIN_PASSWORD} characters or more.`);
  }
  if (value.toLowerCase().includes(username.toLowerCase()) || new Set(value).size < 5) {
    throw new ProtocolError(
      ErrorCode.VALIDATION_ERROR,
      "A password does not contain the name, and has five different characters or more.",
    );
  }
  return value;
}

function read(object: JsonObject): StudioOperator {
  const { objectId, username, role, createdAt, hasSecondFactor, isDisabled, lastSignInAt } = object;
  return {
    id: String(objectId),
    username: String(username),
    role: roleOf(role),
    createdAt: String(createdAt),
    hasSecondFactor: hasSecondFactor === true,
    isDisabled: isDisabled === true,
    ...(typeof lastSignInAt === "string" && { lastSignInAt }),
  };
}
