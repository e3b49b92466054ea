import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { MASTER, type RequestContext } from "../core/authContext.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "../core/http/apiRoute.ts";
import { TooManyRequestsError } from "../core/limits/tooManyRequests.ts";
import type { Mail } from "../core/mail.ts";
import type { PendingWrite } from "../data/objects/pendingWrite.ts";
import { isEmailAddress } from "./emailAddress.ts";
import { messagePage, newPasswordPage, resendPage } from "./emailPages.ts";
import { EmailTokens } from "./emailTokens.ts";
import type { Lockout } from "./lockout.ts";
import { assertPassword } from "./passwordPolicy.ts";
import { hasFactor } from "./secondFactor.ts";
import type { AuthDependencies } from "./types.ts";
import { foldName, UNIQUE_KEYS } from "./uniqueKeys.ts";

/** Email verification and password reset. */
export class AccountEmails {
  readonly routes: ApiRoute[];
  readonly #dependencies: AuthDependencies;
  readonly #lockout: Lockout;
  readonly #verifyTokens: EmailTokens;
  readonly #resetTokens: EmailTokens;

  constructor(dependencies: AuthDependencies, lockout: Lockout) {
    this.#dependencies = dependencies;
    this.#lockout = lockout;
    this.#verifyTokens = new EmailTokens(dependencies, "email-token");
    this.#resetTokens = new EmailTokens(dependencies, "reset-token");
    const open = { acceptsEndedSession: true } satisfies Partial<ApiRoute>;
    const page = { acceptsEndedSession: true, isApplicationOptional: true } satisfies Partial<ApiRoute>;
    this.routes = [
      { method: "POST", path: "/requestPasswordReset", handle: (r) => this.#requestReset(r), ...open },
      {
        method: "POST",
        path: "/verificationEmailRequest",
        handle: (r) => this.#requestVerification(r),
        ...open,
      },
      { method: "GET", path: "/apps/:appId/verify_email", handle: (r) => this.#verify(r), ...page },
      {
        method: "POST",
        path: "/apps/:appId/resend_verification_email",
        handle: (r) => this.#resend(r),
        ...page,
      },
      {
        method: "GET",
        path: "/apps/:appId/request_password_reset",
        handle: (r) => this.#showPasswordForm(r),
        ...page,
      },
      {
        method: "POST",
        path: "/apps/:appId/request_password_reset",
        handle: (r) => this.#setPassword(r),
        ...page,
      },
    ];
  }

  /** Adds to a write what a new email address requires: a verification token, and an email that is sent after the commit. */
  async changeAddress(
    pending: PendingWrite,
    email: string | undefined,
    request: RequestContext,
  ): Promise<void> {
    if (!this.#dependencies.config.verifyUserEmails) return;
    pending.additionalWrites.push(this.#verifyTokens.revoke(pending.objectId));
    if (email === undefined) {
      pending.operations.emailVerified = { op: "Delete" };
      return;
    }
    await this.#countAgainstLimits(email, request);
    pending.operations.emailVerified = { op: "Set", value: false };
    const { token, write } = this.#verifyTokens.issue(
      pending.objectId,
      this.#dependencies.config.emailTokenSeconds,
    );
    pending.additionalWrites.push(write);
    pending.afterCommit.push(async () => this.#sendVerificationInBackground(email, token));
  }

  /** Throws 205 if the user has to verify their email address before signing in. */
  assertCanSignIn(user: JsonObject): void {
    const { verifyUserEmails, preventLoginWithUnverifiedEmail } = this.#dependencies.config;
    if (!verifyUserEmails || !preventLoginWithUnverifiedEmail) return;
    if (user.email === undefined || user.emailVerified === true) return;
    throw new ProtocolError(ErrorCode.EMAIL_NOT_FOUND, "User email is not verified.");
  }

  async #requestReset(request: ApiRequest): Promise<JsonObject> {
    this.#assertMailer();
    const email = requireEmail(request.params.email);
    const { policy } = this.#dependencies.config;
    await this.#countAgainstLimits(email, request);
    await this.#runBeforeReset(email, request);
    const send = this.#sendReset(email);
    if (policy.resetPasswordSuccessOnInvalidEmail) {
      // Neither the response nor its timing reveals whether the address is registered.
      send.catch((error: unknown) =>
        this.#dependencies.logger.error("an email could not be sent", { error }),
      );
      return {};
    }
    if (await send) return {};
    throw new ProtocolError(ErrorCode.EMAIL_NOT_FOUND, "A user with that email does not exist.");
  }

  /** Runs the trigger that may reject the reset, if the user exists. */
  async #runBeforeReset(email: string, request: ApiRequest): Promise<void> {
    const trigger = this.#dependencies.triggers.of("beforePasswordResetRequest");
    const owner =
      trigger && (await this.#dependencies.store.getUniqueOwner(UNIQUE_KEYS.email, foldName(email)));
    const user = owner === undefined ? undefined : await this.#userOf(owner);
    if (user) await trigger?.(user, request);
  }

  /** Sends the password reset link; false if the address is not registered. */
  async #sendReset(email: string): Promise<boolean> {
    const { store, config } = this.#dependencies;
    const owner = await store.getUniqueOwner(UNIQUE_KEYS.email, foldName(email));
    if (owner === undefined) return false;
    const user = await this.#userOf(owner);
    if (!user) return false;
    const { token, write } = this.#resetTokens.issue(owner, config.policy.resetTokenSeconds);
    await store.write([write]);
    const link = `${this.#pagesUrl()}/request_password_reset?token=${token}`;
    const to = String(user.email ?? email);
    const values = { appName: config.appName, email: to, username: String(user.username), link };
    await this.#send(await this.#dependencies.mailTemplates.render("passwordReset", to, values));
    return true;
  }

  async #requestVerification(request: ApiRequest): Promise<JsonObject> {
    this.#assertMailer();
    const email = requireEmail(request.params.email);
    await this.#countAgainstLimits(email, request);
    const send = this.#sendVerification(email);
    if (this.#dependencies.config.policy.resetPasswordSuccessOnInvalidEmail) {
      send.catch((error: unknown) =>
        this.#dependencies.logger.error("an email could not be sent", { error }),
      );
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

  async #sendVerification(email: string): Promise<"sent" | "unknown" | "verified"> {
    const { store, config } = this.#dependencies;
    const owner = await store.getUniqueOwner(UNIQUE_KEYS.email, foldName(email));
    const user = owner === undefined ? undefined : await this.#userOf(owner);
    if (!user || owner === undefined) return "unknown";
    if (user.emailVerified === true) return "verified";
    const { token, write } = this.#verifyTokens.issue(owner, config.emailTokenSeconds);
    await store.write([write]);
    await this.#sendVerificationMail(String(user.email), token);
    return "sent";
  }

  async #verify(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request);
    const owner = await this.#verifyTokens.consume(request.params.token);
    if (owner === undefined) return resendPage();
    await this.#change(request, owner, { emailVerified: true });
    return messagePage(200, "Email verified", "You can close this page and return to the app.");
  }

  async #resend(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request);
    const email = request.params.email;
    if (isEmailAddress(email)) {
      try {
        await this.#countAgainstLimits(email, request);
      } catch (error) {
        if (!(error instanceof TooManyRequestsError)) throw error;
        return messagePage(429, "Too many emails", "Check your inbox, or try again later.");
      }
      const send = this.#sendVerification(email);
      send.catch((error: unknown) =>
        this.#dependencies.logger.error("an email could not be sent", { error }),
      );
    }
    return messagePage(200, "Check your email", "If an account has this address, a new link is on its way.");
  }

  async #showPasswordForm(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request);
    const { token } = request.params;
    const user = await this.#ownerOfReset(token);
    return user ? newPasswordPage(String(token), String(user.username)) : expiredLinkPage();
  }

  async #setPassword(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request);
    const { token, new_password: password, repeated } = request.params;
    const user = await this.#ownerOfReset(token);
    if (!user) return expiredLinkPage();
    const retryPage = (problem: string) => newPasswordPage(String(token), String(user.username), problem);
    if (typeof password !== "string" || password === "") return retryPage("Enter a new password.");
    if (repeated !== undefined && repeated !== password) return retryPage("The passwords do not match.");
    const found = await this.#dependencies.store.getSecret(
      this.#dependencies.schemaOf("_User"),
      String(user.objectId),
    );
    try {
      const known = { username: user.username, secret: found?.secret ?? {} };
      await assertPassword(
        password,
        this.#dependencies.config.policy,
        known,
        this.#dependencies.passwords,
        request,
      );
    } catch (error) {
      if (error instanceof ProtocolError) return retryPage(error.message);
      throw error;
    }
    const owner = await this.#resetTokens.consume(token);
    if (owner === undefined) return expiredLinkPage();
    const isVerified = this.#dependencies.config.verifyUserEmails && user.email !== undefined;
    await this.#change(request, owner, { password, ...(isVerified && { emailVerified: true }) });
    // An email does not prove the second factor, so failed codes keep counting.
    const isUnlocked = !hasFactor(found?.secret.authData);
    const unlock = isUnlocked ? this.#lockout.passwordResetWrites(owner) : [];
    if (unlock.length > 0) await this.#dependencies.store.write(unlock);
    return messagePage(200, "Password changed", "You can now sign in with your new password.");
  }

  async #ownerOfReset(token: unknown): Promise<JsonObject | undefined> {
    const owner = await this.#resetTokens.ownerOf(token);
    return owner === undefined ? undefined : this.#userOf(owner);
  }

  async #userOf(userId: string): Promise<JsonObject | undefined> {
    const text = await this.#dependencies.store.get(this.#dependencies.schemaOf("_User"), userId, null);
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** Updates the user with the master key; the token has proved the user's identity. */
  async #change(request: RequestContext, userId: string, fields: JsonObject): Promise<void> {
    await this.#dependencies.objects.update({ ...request, auth: MASTER }, "_User", userId, fields);
  }

  async #sendVerificationMail(email: string, token: string): Promise<void> {
    const { appName } = this.#dependencies.config;
    const link = `${this.#pagesUrl()}/verify_email?token=${token}`;
    await this.#send(
      await this.#dependencies.mailTemplates.render("verification", email, { appName, email, link }),
    );
  }

  /** Sends the verification email without waiting; a failure must not undo the saved user. */
  async #sendVerificationInBackground(email: string, token: string): Promise<void> {
    this.#sendVerificationMail(email, token).catch((error: unknown) =>
      this.#dependencies.logger.error("an email could not be sent", { to: email, error }),
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

  /** Counts a requested email, whether or not the address is registered. Rejects with 155 if that exceeds the limit. */
  async #countAgainstLimits(email: string, request: RequestContext): Promise<void> {
    const { limits } = this.#dependencies;
    await limits.countAddress("mailPerAddress", request);
    await limits.countSubject("mailPerRecipient", request, foldName(email));
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

  #assertApp({ pathParams: names }: ApiRequest): void {
    if (names.appId === this.#dependencies.config.appId) return;
    throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized", 403);
  }

  #pagesUrl(): string {
    const { publicUrl, appId } = this.#dependencies.config;
    return `${publicUrl()}/apps/${encodeURIComponent(appId)}`;
  }
}

function expiredLinkPage(): ApiReply {
  return messagePage(
    400,
    "This link is no longer valid",
    "It has been used or has expired. Request a new one in the app.",
  );
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
