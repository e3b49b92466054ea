import { createHash } from "node:crypto";
import type { AccountLimitName, AccountLimitValues } from "../config/accountLimits.ts";
import { bypassesPermissions, type RequestContext } from "../core/authContext.ts";
import { addressKey } from "../core/http/address.ts";
import type { RateLimiter } from "../core/limits/rateLimiter.ts";
import { tooManyRequests } from "../core/limits/tooManyRequests.ts";

/** The properties of a request that limits depend on. */
export type LimitedRequest = Pick<RequestContext, "auth" | "ip" | "isInternal">;

/** Reverts a count if the limit does not apply to the request after all. */
export type Refund = () => Promise<void>;

/** Rate limits for sign-ups, failed logins and the like. Requests with the master key and from cloud code are not counted. */
export class AccountLimits {
  readonly #limiter: RateLimiter;
  readonly #limits: AccountLimitValues;

  constructor(limiter: RateLimiter, limits: AccountLimitValues) {
    this.#limiter = limiter;
    this.#limits = limits;
  }

  /** Counts a request for the client's IP address. Rejects with 155 (HTTP 429) if that exceeds the limit. */
  countAddress(name: AccountLimitName, request: LimitedRequest): Promise<Refund> {
    return this.#count(name, request, `address ${addressKey(request.ip)}`);
  }

  /** Counts a request for a user, an email address or another subject of the limit. Rejects with 155 (HTTP 429). */
  countSubject(name: AccountLimitName, request: LimitedRequest, subject: string): Promise<Refund> {
    return this.#count(name, request, `subject ${createHash("sha256").update(subject).digest("base64url")}`);
  }

  /** Counts a request for its user, or for its IP address if no user is signed in. */
  countUser(name: AccountLimitName, request: LimitedRequest): Promise<Refund> {
    const { auth } = request;
    if (auth.kind === "user") return this.countSubject(name, request, auth.userId);
    return this.countAddress(name, request);
  }

  async #count(name: AccountLimitName, request: LimitedRequest, of: string): Promise<Refund> {
    const limit = this.#limits[name];
    if (!limit || request.isInternal || bypassesPermissions(request.auth)) return NO_REFUND;
    const key = `account ${name} ${of}`;
    const usage = await this.#limiter.count(key, limit.windowSeconds * 1000);
    if (usage.used > limit.count) throw tooManyRequests(usage.resetsInMs);
    return () => this.#limiter.refund(key);
  }
}

const NO_REFUND: Refund = async () => undefined;
