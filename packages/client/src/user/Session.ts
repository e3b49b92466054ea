import { type Attributes, ParseObject } from "../object/ParseObject.ts";
import { registerClass } from "../object/registry.ts";
import { type RequestOptions, requestObject } from "../transport.ts";
import { User } from "./User.ts";

/** Fields of a session; the server sets them. */
export interface SessionAttributes {
  sessionToken: string;
  user: User;
  createdWith: Record<string, unknown>;
  expiresAt: Date;
  installationId: string;
  restricted: boolean;
  /** Browser and system of the sign-in, as the server describes them: `Firefox, Linux`. */
  userAgent: string;
  /** Rounded to 15 minutes. */
  lastUsedAt: Date;
}

/** One sign-in of a user on one installation. The server alone sets its fields. */
export class Session<A extends object = Attributes> extends ParseObject<SessionAttributes & A> {
  static readonly className: string = "_Session";

  // Applications that do not import the class get plain objects.
  static {
    registerClass("_Session", Session);
  }

  constructor(attributes?: Partial<SessionAttributes & A>) {
    super("_Session", attributes);
  }

  getSessionToken(): string | undefined {
    const token = this._get("sessionToken");
    return typeof token === "string" ? token : undefined;
  }

  override _readOnlyAttributes(): readonly string[] {
    return Session.readOnlyAttributes();
  }

  static readOnlyAttributes(): string[] {
    return ["createdWith", "expiresAt", "installationId", "restricted", "sessionToken", "user"];
  }

  /** The current session. */
  static async current(options: RequestOptions = {}): Promise<Session> {
    const session = new Session();
    session._finishFetch(await requestObject("GET", "sessions/me", {}, options));
    return session;
  }

  static isCurrentSessionRevocable(): boolean {
    return User.current()?.getSessionToken()?.includes("r:") ?? false;
  }
}
