import { ErrorCode, type JsonObject, ProtocolError } from "@purse/protocol";
import { MASTER, type RequestContext } from "../caller.ts";
import type { ApiReply, ApiRequest, ApiRoute } from "../http/api.ts";
import { TooManyRequests } from "../limits/tooManyRequests.ts";
import type { Mail } from "../messages/mailer.ts";
import type { Draft } from "../objects/draft.ts";
import { isEmailAddress } from "./emailAddress.ts";
import type { Lockout } from "./lockout.ts";
import { messagePage, passwordPage, resendPage } from "./pages.ts";
import { type AccountsParts, CLAIM, foldName } from "./parts.ts";
import { assertPassword } from "./passwordPolicy.ts";
import { hasFactor } from "./secondFactor.ts";
import { MailTokens } from "./tokens.ts";

/** Proving an e-mail address, and coming back by it when the password is gone. */
export class Email {
  readonly routes: ApiRoute[];
  readonly #parts: AccountsParts;
  readonly #lockout: Lockout;
  readonly #verifyTokens: MailTokens;
  readonly #resetTokens: MailTokens;

  constructor(parts: AccountsParts, lockout: Lockout) {
    this.#parts = parts;
    this.#lockout = lockout;
    this.#verifyTokens = new MailTokens(parts, "email-token");
    this.#resetTokens = new MailTokens(parts, "reset-token");
    const open = { tolerant: true } as const;
    const page = { tolerant: true, withoutApplication: true } as const;
    this.routes = [
      { method: "POST", path: "/requestPasswordReset", handle: (r) => this.#requestReset(r), ...open },
      { method: "POST", path: "/verificationEmailRequest", handle: (r) => this.#requestMail(r), ...open },
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
        handle: (r) => this.#askPassword(r),
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

  /** A new address has to be proved: what that takes is put into the write, and the mail goes out after it. */
  async changeAddress(draft: Draft, email: string | undefined, request: RequestContext): Promise<void> {
    if (!this.#parts.config.verifyUserEmails) return;
    draft.writes.push(this.#verifyTokens.revoke(draft.objectId));
    if (email === undefined) {
      draft.operations.emailVerified = { op: "Delete" };
      return;
    }
    await this.#countMail(email, request);
    draft.operations.emailVerified = { op: "Set", value: false };
    const { token, write } = this.#verifyTokens.issue(draft.objectId, this.#parts.config.emailTokenSeconds);
    draft.writes.push(write);
    draft.afterwards.push(async () => this.#post(email, token));
  }

  /** Throws 205 for people who have to prove their address before they sign in. */
  assertMaySignIn(user: JsonObject): void {
    const { verifyUserEmails, preventLoginWithUnverifiedEmail } = this.#parts.config;
    if (!verifyUserEmails || !preventLoginWithUnverifiedEmail) return;
    if (user.email === undefined || user.emailVerified === true) return;
    throw new ProtocolError(ErrorCode.EMAIL_NOT_FOUND, "User email is not verified.");
  }

  async #requestReset(request: ApiRequest): Promise<JsonObject> {
    this.#assertMailer();
    const email = addressOf(request.params.email);
    const { policy } = this.#parts.config;
    await this.#countMail(email, request);
    await this.#askBeforeReset(email, request);
    const send = this.#sendReset(email);
    if (policy.resetPasswordSuccessOnInvalidEmail) {
      // Neither the answer nor how long it takes tells whether somebody has the address.
      send.catch((error: unknown) => this.#parts.log.error("a mail could not be sent", { error }));
      return {};
    }
    if (await send) return {};
    throw new ProtocolError(ErrorCode.EMAIL_NOT_FOUND, "A user with that email does not exist.");
  }

  /** Cloud code may refuse; it is asked about people that there are. */
  async #askBeforeReset(email: string, request: ApiRequest): Promise<void> {
    const trigger = this.#parts.triggers.of("beforePasswordResetRequest");
    const owner = trigger && (await this.#parts.store.ownerOf(CLAIM.email, foldName(email)));
    const user = owner === undefined ? undefined : await this.#userOf(owner);
    if (user) await trigger?.(user, request);
  }

  /** Sends the link of a reset; false where nobody has the address. */
  async #sendReset(email: string): Promise<boolean> {
    const { store, config } = this.#parts;
    const owner = await store.ownerOf(CLAIM.email, foldName(email));
    if (owner === undefined) return false;
    const user = await this.#userOf(owner);
    if (!user) return false;
    const { token, write } = this.#resetTokens.issue(owner, config.policy.resetTokenSeconds);
    await store.write([write]);
    const link = `${this.#pagesUrl()}/request_password_reset?token=${token}`;
    const to = String(user.email ?? email);
    const values = { appName: config.appName, email: to, username: String(user.username), link };
    await this.#send(await this.#parts.mails.mail("passwordReset", to, values));
    return true;
  }

  async #requestMail(request: ApiRequest): Promise<JsonObject> {
    this.#assertMailer();
    const email = addressOf(request.params.email);
    await this.#countMail(email, request);
    const send = this.#sendVerification(email);
    if (this.#parts.config.policy.resetPasswordSuccessOnInvalidEmail) {
      send.catch((error: unknown) => this.#parts.log.error("a mail could not be sent", { error }));
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
    const { store, config } = this.#parts;
    const owner = await store.ownerOf(CLAIM.email, foldName(email));
    const user = owner === undefined ? undefined : await this.#userOf(owner);
    if (!user || owner === undefined) return "unknown";
    if (user.emailVerified === true) return "verified";
    const { token, write } = this.#verifyTokens.issue(owner, config.emailTokenSeconds);
    await store.write([write]);
    await this.#sendProof(String(user.email), token);
    return "sent";
  }

  async #verify(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request);
    const owner = await this.#verifyTokens.use(request.params.token);
    if (owner === undefined) return resendPage();
    await this.#change(request, owner, { emailVerified: true });
    return messagePage(200, "Your e-mail is verified", "You can close this page and go back to the app.");
  }

  async #resend(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request);
    const email = request.params.email;
    if (isEmailAddress(email)) {
      try {
        await this.#countMail(email, request);
      } catch (error) {
        if (!(error instanceof TooManyRequests)) throw error;
        return messagePage(429, "Too many mails", "Look into your mail, or try again later.");
      }
      const send = this.#sendVerification(email);
      send.catch((error: unknown) => this.#parts.log.error("a mail could not be sent", { error }));
    }
    return messagePage(200, "Look into your mail", "If the address is yours here, a new link is on its way.");
  }

  async #askPassword(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request);
    const { token } = request.params;
    const user = await this.#ownerOfReset(token);
    return user ? passwordPage(String(token), String(user.username)) : deadLink();
  }

  async #setPassword(request: ApiRequest): Promise<ApiReply> {
    this.#assertApp(request);
    const { token, new_password: password, repeated } = request.params;
    const user = await this.#ownerOfReset(token);
    if (!user) return deadLink();
    const again = (problem: string) => passwordPage(String(token), String(user.username), problem);
    if (typeof password !== "string" || password === "") return again("Type a new password.");
    if (repeated !== undefined && repeated !== password) return again("The two passwords are not the same.");
    const found = await this.#parts.store.getSecret(this.#parts.schemaOf("_User"), String(user.objectId));
    try {
      const known = { username: user.username, secret: found?.secret ?? {} };
      await assertPassword(password, this.#parts.config.policy, known, this.#parts.passwords, request);
    } catch (error) {
      if (error instanceof ProtocolError) return again(error.message);
      throw error;
    }
    const owner = await this.#resetTokens.use(token);
    if (owner === undefined) return deadLink();
    const proved = this.#parts.config.verifyUserEmails && user.email !== undefined;
    await this.#change(request, owner, { password, ...(proved && { emailVerified: true }) });
    // A mail proves no second factor: codes go on being counted.
    const isUnlocked = !hasFactor(found?.secret.authData);
    const unlock = isUnlocked ? this.#lockout.clearByReset(owner) : [];
    if (unlock.length > 0) await this.#parts.store.write(unlock);
    return messagePage(200, "Your password is set", "Sign in to the app with it.");
  }

  async #ownerOfReset(token: unknown): Promise<JsonObject | undefined> {
    const owner = await this.#resetTokens.ownerOf(token);
    return owner === undefined ? undefined : this.#userOf(owner);
  }

  async #userOf(userId: string): Promise<JsonObject | undefined> {
    const text = await this.#parts.store.get(this.#parts.schemaOf("_User"), userId, null);
    return text === undefined ? undefined : JSON.parse(text);
  }

  /** As the server itself: whoever holds the token has shown who it is. */
  async #change(request: RequestContext, userId: string, fields: JsonObject): Promise<void> {
    await this.#parts.objects.update({ ...request, caller: MASTER }, "_User", userId, fields);
  }

  async #sendProof(email: string, token: string): Promise<void> {
    const { appName } = this.#parts.config;
    const link = `${this.#pagesUrl()}/verify_email?token=${token}`;
    await this.#send(await this.#parts.mails.mail("verification", email, { appName, email, link }));
  }

  /** A mail that does not go out must not undo what has been saved. */
  async #post(email: string, token: string): Promise<void> {
    this.#sendProof(email, token).catch((error: unknown) =>
      this.#parts.log.error("a mail could not be sent", { to: email, error }),
    );
  }

  async #send(mail: Mail): Promise<void> {
    const mailer = this.#assertMailer();
    // Users who came from another server may have anything there.
    if (!isEmailAddress(mail.to)) {
      throw new ProtocolError(ErrorCode.INVALID_EMAIL_ADDRESS, "Email address format is invalid.");
    }
    await mailer.send(mail);
  }

  /** Counts a mail that is asked for, whether or not somebody has the address. Rejects with 155 for one too many. */
  async #countMail(email: string, request: RequestContext): Promise<void> {
    const { limits } = this.#parts;
    await limits.countAddress("mailPerAddress", request);
    await limits.countSubject("mailPerRecipient", request, foldName(email));
  }

  #assertMailer() {
    const { mailer } = this.#parts;
    if (mailer) return mailer;
    throw new ProtocolError(
      ErrorCode.INTERNAL_SERVER_ERROR,
      "Mails cannot be sent: set PURSE_SMTP_URL, or mail.adapter in purse.config.ts.",
      400,
    );
  }

  #assertApp({ pathParams: names }: ApiRequest): void {
    if (names.appId === this.#parts.config.appId) return;
    throw new ProtocolError(ErrorCode.OPERATION_FORBIDDEN, "unauthorized", 403);
  }

  #pagesUrl(): string {
    const { publicUrl, appId } = this.#parts.config;
    return `${publicUrl()}/apps/${encodeURIComponent(appId)}`;
  }
}

function deadLink(): ApiReply {
  return messagePage(
    400,
    "This link does not work any more",
    "It has been used, or it is too old. Ask for a new one in the app.",
  );
}

function addressOf(value: unknown): string {
  if (value === undefined || value === null || value === "") {
    throw new ProtocolError(ErrorCode.EMAIL_MISSING, "you must provide an email");
  }
  if (!isEmailAddress(value)) {
    throw new ProtocolError(ErrorCode.INVALID_EMAIL_ADDRESS, "you must provide a valid email string");
  }
  return value;
}
