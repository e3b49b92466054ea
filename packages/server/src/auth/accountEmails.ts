import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { z } from "zod";
import type { RequestContext } from "../core/authContext.ts";
import type { ApiRequest, ApiRoute } from "../core/http/apiRoute.ts";
import { defineEndpoints, nothing, routesOf } from "../core/http/endpoint.ts";
import type { Mail } from "../core/mail.ts";
import { sendInBackground } from "../core/sendInBackground.ts";
import { type PendingWrite, setValueOf } from "../data/objects/pendingWrite.ts";
import { getRow } from "../database/serverRows.ts";
import type { Write } from "../database/store.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import { isEmailAddress } from "./emailAddress.ts";
import { conditionOf, conditionOfWrite, EmailConditions } from "./emailConditions.ts";
import { EmailTokens } from "./emailTokens.ts";
import { foldName, UNIQUE_KEYS } from "./uniqueKeys.ts";

const request = {
  method: "POST",
  access: "everyone",
  schemas: () => ({ ...nothing(), body: z.object({ email: z.string() }) }),
  acceptsEndedSession: true,
} as const;
const ENDPOINTS = defineEndpoints("Users and sessions", {
  requestReset: {
    ...request,
    path: "/requestPasswordReset",
    summary: "Send an email to reset the password",
  },
  requestVerification: {
    ...request,
    path: "/verificationEmailRequest",
    summary: "Send the verification email again",
  },
});

/** Requests for email verification and password reset, and their emails. */
export class AccountEmails {
  readonly routes: ApiRoute[];
  readonly verifyTokens: EmailTokens;
  readonly resetTokens: EmailTokens;
  readonly #dependencies: AuthDependencies;
  readonly #conditions: EmailConditions;

  constructor(dependencies: AuthDependencies) {
    this.#dependencies = dependencies;
    this.#conditions = new EmailConditions(dependencies.config);
    this.verifyTokens = new EmailTokens(dependencies, "email-token");
    this.resetTokens = new EmailTokens(dependencies, "reset-token");
    this.routes = routesOf(ENDPOINTS, {
      requestReset: (request) => this.#requestReset(request),
      requestVerification: (request) => this.#requestVerification(request),
    });
  }

  /** Adds to a write what a new email address requires: a verification token, and an email that is sent after the commit. */
  async changeAddress(
    pending: PendingWrite,
    email: string | undefined,
    request: RequestContext,
  ): Promise<void> {
    const { verifyUserEmails, emailTokenSeconds } = this.#dependencies.config;
    // The mails of the old address must not lead into the account, and must not verify the new one.
    const { objectId } = pending;
    if (pending.original) {
      pending.additionalWrites.push(this.resetTokens.revoke(objectId), this.verifyTokens.revoke(objectId));
    }
    if (!verifyUserEmails) return;
    if (email === undefined) {
      pending.operations.emailVerified = { op: "Delete" };
      return;
    }
    if (!(await this.#conditions.verifies(conditionOfWrite(pending, request)))) return;
    // Cloud code or the operator knows that the address belongs to the user.
    if (setValueOf(pending, "emailVerified") === true) return;
    await this.countAgainstLimits(email, request);
    pending.operations.emailVerified = { op: "Set", value: false };
    const { token, write } = this.verifyTokens.issue(pending.objectId, emailTokenSeconds);
    pending.additionalWrites.push(write);
    pending.afterCommit.push(async () => {
      const user = await this.userOf(pending.objectId);
      if (user) {
        sendInBackground(this.#sendVerificationMail(user, token, request), this.#dependencies.logger);
      }
    });
  }

  /** Throws 205 if the user has to verify their email address before signing in. */
  async assertCanSignIn(user: JsonObject, request: RequestContext): Promise<void> {
    if (await this.#conditions.preventsLogin(conditionOf(user, request))) throw unverifiedEmailError();
  }

  /** Whether a new user has to verify the email address before signing in. */
  preventsFirstLogin(pending: PendingWrite, request: RequestContext): Promise<boolean> {
    return this.#conditions.preventsLogin(conditionOfWrite(pending, request));
  }

  /** Sends a new verification email to a user who has not verified the address yet. */
  async sendVerification(
    owner: string | undefined,
    request: RequestContext,
  ): Promise<"sent" | "unknown" | "verified"> {
    const { store, config } = this.#dependencies;
    const user = owner === undefined ? undefined : await this.userOf(owner);
    if (!user || owner === undefined || user.email === undefined) return "unknown";
    if (user.emailVerified === true) return "verified";
    const condition = { ...conditionOf(user, request), resendRequest: true };
    const isFunction = typeof config.verifyUserEmails === "function";
    if (isFunction && !(await this.#conditions.verifies(condition))) return "sent";
    const { token, write } = this.verifyTokens.issue(owner, config.emailTokenSeconds);
    const keepsOthers = config.emailVerifyTokenReuseIfValid;
    await store.write([...othersRevoked(this.verifyTokens, owner, keepsOthers), write]);
    await this.#sendVerificationMail(user, token, request);
    return "sent";
  }

  /** Counts a requested email, whether or not the address is registered. Rejects with 155 if that exceeds the limit. */
  async countAgainstLimits(email: string, request: RequestContext): Promise<void> {
    const { limits } = this.#dependencies;
    await limits.countAddress("mailPerAddress", request);
    await limits.countSubject("mailPerRecipient", request, foldName(email));
  }

  userOf(userId: string): Promise<JsonObject | undefined> {
    return getRow(this.#dependencies.store, this.#dependencies.schemaOf("_User"), userId);
  }

  async #requestReset(request: ApiRequest): Promise<JsonObject> {
    this.#assertMailer();
    const email = requireEmail(request.params.email);
    const { policy } = this.#dependencies.config;
    await this.countAgainstLimits(email, request);
    await this.#runBeforeReset(email, request);
    const send = this.#sendReset(email);
    if (policy.resetPasswordSuccessOnInvalidEmail) {
      // Neither the response nor its timing reveals whether the address is registered.
      sendInBackground(send, this.#dependencies.logger);
      return {};
    }
    if (await send) return {};
    throw new ProtocolError(ErrorCode.EMAIL_NOT_FOUND, "A user with that email does not exist.");
  }

  /** Runs the trigger that may reject the reset, if the user exists. */
  async #runBeforeReset(email: string, request: ApiRequest): Promise<void> {
    const trigger = this.#dependencies.triggers.of("beforePasswordResetRequest");
    const user = trigger && (await this.#userToReset(email));
    if (user) await trigger?.(user, request);
  }

  /** The user with an email address, or without one but with the address as username. */
  async #userToReset(email: string): Promise<JsonObject | undefined> {
    const { store } = this.#dependencies;
    const name = foldName(email);
    const owner = await store.getUniqueOwner(UNIQUE_KEYS.email, name);
    if (owner !== undefined) return this.userOf(owner);
    const namesake = await store.getUniqueOwner(UNIQUE_KEYS.username, name);
    const user = namesake === undefined ? undefined : await this.userOf(namesake);
    return user?.email === undefined ? user : undefined;
  }

  /** Sends the password reset link; false if the address is not registered. */
  async #sendReset(email: string): Promise<boolean> {
    const { store, config } = this.#dependencies;
    const user = await this.#userToReset(email);
    if (!user) return false;
    const owner = String(user.objectId);
    const { token, write } = this.resetTokens.issue(owner, config.policy.resetTokenSeconds);
    const keepsOthers = config.policy.resetTokenReuseIfValid;
    await store.write([...othersRevoked(this.resetTokens, owner, keepsOthers), write]);
    const link = this.#linkTo("request_password_reset", user, token);
    const to = String(user.email ?? email);
    const values = { appName: config.appName, email: to, username: String(user.username), link };
    await this.#send(await this.#dependencies.mailTemplates.render("passwordReset", to, values));
    return true;
  }

  async #requestVerification(request: ApiRequest): Promise<JsonObject> {
    this.#assertMailer();
    const email = requireEmail(request.params.email);
    await this.countAgainstLimits(email, request);
    const { store, config } = this.#dependencies;
    const owner = await store.getUniqueOwner(UNIQUE_KEYS.email, foldName(email));
    const send = this.sendVerification(owner, request);
    if (config.policy.resetPasswordSuccessOnInvalidEmail && config.compatibility !== "parse") {
      sendInBackground(send, this.#dependencies.logger);
      return {};
    }
    const outcome = await send;
    if (outcome === "unknown") {
      throw new ProtocolError(ErrorCode.EMAIL_NOT_FOUND, `No user found with email ${email}`);
    }
    if (outcome === "verified") {
      throw new ProtocolError(ErrorCode.OTHER_CAUSE, `Email ${email} is already verified.`);
    }
    return {};
  }

  async #sendVerificationMail(user: JsonObject, token: string, request: RequestContext): Promise<void> {
    if (!(await this.#conditions.sends(user, request))) return;
    const { appName } = this.#dependencies.config;
    const email = String(user.email);
    const link = this.#linkTo("verify_email", user, token);
    await this.#send(
      await this.#dependencies.mailTemplates.render("verification", email, { appName, email, link }),
    );
  }

  async #send(mail: Mail): Promise<void> {
    const mailer = this.#assertMailer();
    // Users imported from another server may have an invalid address.
    if (!isEmailAddress(mail.to)) {
      throw new ProtocolError(ErrorCode.INVALID_EMAIL_ADDRESS, "Email address format is invalid.");
    }
    await mailer.send(mail);
  }

  #assertMailer() {
    const { mailer } = this.#dependencies;
    if (mailer) return mailer;
    throw new ProtocolError(
      ErrorCode.INTERNAL_SERVER_ERROR,
      "Email is not configured: set PURSE_SMTP_URL, or mail.adapter in purse.config.ts.",
      400,
    );
  }

  /**
   * The link to a page, within the frame of the operator's site if there is one. Only that, and pages of Parse Server,
   * need the username.
   */
  #linkTo(name: "verify_email" | "request_password_reset", user: JsonObject, token: string): string {
    const { publicUrl, appId, customPages, compatibility } = this.#dependencies.config;
    const path = `/apps/${encodeURIComponent(appId)}/${name}`;
    const { parseFrameURL } = customPages;
    const username = `&username=${encodeURIComponent(String(user.username))}`;
    if (parseFrameURL !== undefined) {
      return `${parseFrameURL}?link=${encodeURIComponent(path)}&token=${token}${username}`;
    }
    return `${publicUrl()}${path}?token=${token}${compatibility === "parse" ? username : ""}`;
  }
}

export function unverifiedEmailError(): ProtocolError {
  return new ProtocolError(ErrorCode.EMAIL_NOT_FOUND, "User email is not verified.");
}

/** The write that makes earlier links invalid, unless they stay valid. */
function othersRevoked(tokens: EmailTokens, owner: string, keepsOthers: boolean): Write[] {
  return keepsOthers ? [] : [tokens.revoke(owner)];
}

function requireEmail(value: unknown): string {
  if (value === undefined || value === null || value === "") {
    throw new ProtocolError(ErrorCode.EMAIL_MISSING, "you must provide an email");
  }
  if (!isEmailAddress(value)) {
    throw new ProtocolError(ErrorCode.INVALID_EMAIL_ADDRESS, "you must provide a valid email string");
  }
  return value;
}
