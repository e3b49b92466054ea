import { createHash } from "node:crypto";
import type { RequestContext } from "../caller.ts";
import type { AccountLimitName, AccountLimitValues } from "../config/accountLimits.ts";
import { addressKey } from "../http/address.ts";
import type { RateLimiter } from "../limits/rateLimiter.ts";
import { tooManyRequests } from "../limits/tooManyRequests.ts";

/** Who sends a request, for limits. */
export type LimitedRequest = Pick<RequestContext, "caller" | "ip" | "isInternal">;

/** Takes back one that was counted, because it turned out not to be what the limit is about. */
export type Refund = () => Promise<void>;

/** Rate limits of sign-ups, failed log-ins and the like. Requests with the master key and of cloud code are not counted. */
export class AccountLimits {
  readonly #limiter: RateLimiter;
  readonly #limits: AccountLimitValues;

  constructor(limiter: RateLimiter, limits: AccountLimitValues) {
    this.#limiter = limiter;
    this.#limits = limits;
  }

  /** Counts one for the client's address. Rejects with 155 (HTTP 429) where that is one too many. */
  countAddress(name: AccountLimitName, request: LimitedRequest): Promise<Refund> {
    return this.#count(name, request, `address ${addressKey(request.ip)}`);
  }

  /** Counts one for a user, an e-mail address or something else that has the limit. Rejects with 155 (HTTP 429). */
  countSubject(name: AccountLimitName, request: LimitedRequest, subject: string): Promise<Refund> {
    return this.#count(name, request, `subject ${createHash("sha256").update(subject).digest("base64url")}`);
  }

  /** Counts one for the user who sends a request, or for its address where nobody is signed in. */
  countUser(name: AccountLimitName, request: LimitedRequest): Promise<Refund> {
    const { caller } = request;
    if (caller.kind === "user") return this.countSubject(name, request, caller.userId);
    return this.countAddress(name, request);
  }

  async #count(name: AccountLimitName, request: LimitedRequest, of: string): Promise<Refund> {
    const limit = this.#limits[name];
    if (!limit || request.isInternal || request.caller.kind === "master") return NOTHING;
    const key = `account ${name} ${of}`;
    const usage = await this.#limiter.count(key, limit.windowSeconds * 1000);
    if (usage.used > limit.count) throw tooManyRequests(usage.resetsInMs);
    return () => this.#limiter.refund(key);
  }
}

const NOTHING: Refund = async () => undefined;
