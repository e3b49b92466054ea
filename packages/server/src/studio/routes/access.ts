import type { StudioState } from "@purse/protocol";
import { ErrorCode, ProtocolError } from "@purse/protocol";
import { TOTP } from "otpauth";
import type { Audit } from "../audit.ts";
import { dropCookie, setCookie } from "../cookie.ts";
import { roleOf } from "../operators.ts";
import { flagIn, optionalTextIn, textIn } from "../parameters.ts";
import { json, type StudioRequest, type StudioRoute, signedInAs } from "../route.ts";
import type { SignIn, SignInParts } from "../signIn.ts";

export interface AccessParts extends SignInParts {
  signIn: SignIn;
  audit: Audit;
  /** What authenticators call the server. */
  appName: string;
}

/** Setting up, signing in and out, one's own account; other operators, their sessions, the audit trail. */
export function accessRoutes({
  store,
  operators,
  sessions,
  signIn,
  audit,
  appName,
}: AccessParts): StudioRoute[] {
  return [
    { method: "GET", path: "/state", needs: "nobody", handle: state },
    { method: "POST", path: "/setup", needs: "nobody", handle: setUp },
    { method: "POST", path: "/session", needs: "nobody", handle: begin },
    { method: "DELETE", path: "/session", needs: "session", handle: end },
    { method: "GET", path: "/sessions", needs: "session", handle: ownSessions },
    { method: "DELETE", path: "/sessions", needs: "session", handle: endOthers },
    { method: "DELETE", path: "/sessions/:id", needs: "session", handle: endOne },
    { method: "PUT", path: "/password", needs: "session", handle: changePassword },
    { method: "POST", path: "/second-factor", needs: "session", handle: beginFactor },
    { method: "PUT", path: "/second-factor", needs: "session", handle: confirmFactor },
    { method: "DELETE", path: "/second-factor", needs: "session", handle: removeFactor },
    {
      method: "GET",
      path: "/operators",
      needs: "owner",
      handle: async () => json({ results: await operators.list() }),
    },
    { method: "POST", path: "/operators", needs: "owner", handle: add },
    { method: "PUT", path: "/operators/:id", needs: "owner", handle: change },
    { method: "DELETE", path: "/operators/:id", needs: "owner", handle: remove },
    { method: "GET", path: "/operators/:id/sessions", needs: "owner", handle: sessionsOf },
    { method: "DELETE", path: "/operators/:id/sessions", needs: "owner", handle: endSessionsOf },
    { method: "GET", path: "/audit", needs: "owner", handle: trail },
  ];

  async function state(request: StudioRequest) {
    return json(await stateOf(request));
  }

  async function stateOf({ signedIn }: StudioRequest): Promise<StudioState> {
    if (signedIn) return { state: "signedIn", operator: signedIn.operator, csrf: signedIn.session.csrf };
    return { state: (await operators.isEmpty()) ? "setup" : "signedOut" };
  }

  async function setUp(request: StudioRequest) {
    const { params, isSecure } = request;
    const given = { code: textIn(params, "code", 200), username: params.username, password: params.password };
    const { operator, session } = await signIn.setUp(given, fromOf(request));
    request.note({ target: operator.username, after: { role: operator.role } });
    const signedIn: StudioState = { state: "signedIn", operator, csrf: session.csrf };
    return json(signedIn, 201, setCookie(session.token, isSecure));
  }

  async function begin(request: StudioRequest) {
    const { params, isSecure } = request;
    const given = {
      username: textIn(params, "username", 200),
      password: textIn(params, "password", 1_000),
      code: optionalTextIn(params, "code", 100),
    };
    request.note({ target: given.username });
    const { operator, session } = await signIn.signIn(given, fromOf(request));
    // Whatever session the browser brought ends: none goes on under another's name.
    if (request.signedIn) await sessions.end(request.signedIn.operator.id, request.signedIn.session.id);
    const signedIn: StudioState = { state: "signedIn", operator, csrf: session.csrf };
    return json(signedIn, 201, setCookie(session.token, isSecure));
  }

  async function end(request: StudioRequest) {
    const { operator, session } = signedInAs(request);
    await sessions.end(operator.id, session.id);
    return json({}, 200, dropCookie(request.isSecure));
  }

  async function ownSessions(request: StudioRequest) {
    const { operator, session } = signedInAs(request);
    return json({ results: await sessions.list(operator.id, session.id) });
  }

  async function endOthers(request: StudioRequest) {
    const { operator, session } = signedInAs(request);
    await store.write(await sessions.endAll(operator.id, session.id));
    return {};
  }

  async function endOne(request: StudioRequest) {
    await sessions.end(signedInAs(request).operator.id, request.names.id ?? "");
    return {};
  }

  async function changePassword(request: StudioRequest) {
    const { operator } = signedInAs(request);
    await signIn.assertPassword(operator, textIn(request.params, "password", 1_000), fromOf(request));
    await operators.setPassword(operator.id, request.params.newPassword, request.context);
    // This session gets a new token with the others gone: whoever had one of the old ones is out.
    const { session, writes } = sessions.begin(operator.id, fromOf(request));
    await store.write([...(await sessions.endAll(operator.id)), ...writes]);
    const signedIn: StudioState = { state: "signedIn", operator, csrf: session.csrf };
    return json(signedIn, 200, setCookie(session.token, request.isSecure));
  }

  async function beginFactor(request: StudioRequest) {
    const { operator } = signedInAs(request);
    await signIn.assertPassword(operator, textIn(request.params, "password", 1_000), fromOf(request));
    const secret = await operators.beginFactor(operator.id);
    const url = new TOTP({ issuer: `${appName} studio`, label: operator.username, secret }).toString();
    return { secret, url };
  }

  async function confirmFactor(request: StudioRequest) {
    const { operator, session } = signedInAs(request);
    const recoveryCodes = await signIn.confirmFactor(operator, request.params.code);
    await store.write(await sessions.endAll(operator.id, session.id));
    return { recoveryCodes };
  }

  async function removeFactor(request: StudioRequest) {
    const { operator } = signedInAs(request);
    await signIn.assertPassword(operator, textIn(request.params, "password", 1_000), fromOf(request));
    await signIn.removeFactor(operator, request.params.code);
    return {};
  }

  async function add(request: StudioRequest) {
    const { username, password, role } = request.params;
    const operator = await operators.add({ username, password, role }, false, request.context);
    request.note({ target: operator.username, after: { role: operator.role } });
    return json(operator, 201);
  }

  async function change(request: StudioRequest) {
    const { params, names } = request;
    const before = await operators.require(names.id ?? "");
    if (params.password !== undefined)
      await operators.setPassword(before.id, params.password, request.context);
    if (flagIn(params, "removeSecondFactor")) await operators.removeFactor(before.id);
    if (flagIn(params, "unlock")) await signIn.unlock(before.username);
    const to = {
      ...(params.role !== undefined && { role: roleOf(params.role) }),
      ...(params.isDisabled !== undefined && { isDisabled: flagIn(params, "isDisabled") }),
    };
    const after =
      Object.keys(to).length > 0 ? await operators.change(before.id, to) : await operators.require(before.id);
    const own = signedInAs(request);
    await store.write(
      await sessions.endAll(before.id, before.id === own.operator.id ? own.session.id : undefined),
    );
    request.note({ target: before.username, before: summaryOf(before), after: summaryOf(after) });
    return json(after);
  }

  async function remove(request: StudioRequest) {
    const id = request.names.id ?? "";
    if (id === signedInAs(request).operator.id) {
      throw new ProtocolError(ErrorCode.VALIDATION_ERROR, "Nobody removes themselves: another owner has to.");
    }
    const gone = await operators.remove(id);
    await store.write(await sessions.endAll(id));
    request.note({ target: gone.username, before: summaryOf(gone) });
    return {};
  }

  async function sessionsOf(request: StudioRequest) {
    const { session } = signedInAs(request);
    return json({ results: await sessions.list(request.names.id ?? "", session.id) });
  }

  async function endSessionsOf(request: StudioRequest) {
    await store.write(await sessions.endAll(request.names.id ?? "", signedInAs(request).session.id));
    return {};
  }

  async function trail({ params }: StudioRequest) {
    const username = optionalTextIn(params, "username");
    const action = optionalTextIn(params, "action");
    const before = optionalTextIn(params, "after");
    return json(
      await audit.list({
        ...(username !== undefined && { username }),
        ...(action !== undefined && { action }),
        ...(before !== undefined && { before }),
      }),
    );
  }
}

function fromOf({ context, userAgent }: StudioRequest) {
  return { address: context.ip, userAgent };
}

function summaryOf({
  role,
  isDisabled,
  hasSecondFactor,
}: {
  role: string;
  isDisabled: boolean;
  hasSecondFactor: boolean;
}) {
  return { role, isDisabled, hasSecondFactor };
}
