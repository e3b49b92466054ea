import { ErrorCode, ProtocolError } from "@purse/protocol";
import { TOTP } from "otpauth";
import { accessEndpoints as endpoints, type StudioState } from "../../studioApi/access.ts";
import type { Audit } from "../audit.ts";
import { expiredCookie, sessionCookie } from "../cookie.ts";
import {
  type Requests,
  requireSignedIn,
  route,
  type SignedIn,
  type StudioRequest,
  type StudioRoute,
} from "../route.ts";
import type { SignIn, SignInDependencies } from "../signIn.ts";

type AccessRequests = Requests<typeof endpoints>;

export interface AccessDependencies extends SignInDependencies {
  signIn: SignIn;
  audit: Audit;
  /** The issuer shown by authenticator apps. */
  appName: string;
  /** Ends the sessions of users that an operator has started. */
  endOperatorSessions(operatorId: string): Promise<void>;
}

/** Routes for setup, sign-in and one's own account, and for other operators, their sessions, and the audit log. */
export function accessRoutes({
  endOperatorSessions,
  store,
  operators,
  sessions,
  signIn,
  audit,
  appName,
}: AccessDependencies): StudioRoute[] {
  return [
    route(endpoints.state, state),
    route(endpoints.setUp, setUp),
    route(endpoints.createSession, createSession),
    route(endpoints.endSession, endSession),
    route(endpoints.ownSessions, ownSessions),
    route(endpoints.endOthers, endOthers),
    route(endpoints.endOne, endOne),
    route(endpoints.createAccessToken, createAccessToken),
    route(endpoints.changePassword, changePassword),
    route(endpoints.changePreferences, changePreferences),
    route(endpoints.beginFactor, beginFactor),
    route(endpoints.confirmFactor, confirmFactor),
    route(endpoints.removeFactor, removeFactor),
    route(endpoints.operators, async () => ({ results: await operators.list() })),
    route(endpoints.addOperator, add),
    route(endpoints.changeOperator, change),
    route(endpoints.removeOperator, remove),
    route(endpoints.operatorSessions, sessionsOf),
    route(endpoints.endOperatorSessions, endSessionsOf),
    route(endpoints.audit, listAudit),
  ];

  async function state({ signedIn }: StudioRequest): Promise<StudioState> {
    if (signedIn) return signedInState(signedIn);
    return { state: (await operators.isEmpty()) ? "setup" : "signedOut" };
  }

  async function setUp(request: AccessRequests["setUp"]) {
    const signedIn = await signIn.setUp(request.params, clientInfo(request));
    const { operator, session } = signedIn;
    request.setAuditDetails({ target: operator.username, after: { role: operator.role } });
    request.setCookie(sessionCookie(session.token, request.isSecure));
    return signedInState(signedIn);
  }

  async function createSession(request: AccessRequests["createSession"]) {
    request.setAuditDetails({ target: request.params.username });
    const signedIn = await signIn.signIn(request.params, clientInfo(request));
    // An existing session of the browser ends, so that it cannot continue under another name.
    if (request.signedIn) await sessions.end(request.signedIn.operator.id, request.signedIn.session.id);
    request.setCookie(sessionCookie(signedIn.session.token, request.isSecure));
    return signedInState(signedIn);
  }

  async function endSession(request: StudioRequest) {
    const { operator, session } = requireSignedIn(request);
    await sessions.end(operator.id, session.id);
    request.setCookie(expiredCookie(request.isSecure));
    return {};
  }

  async function ownSessions(request: StudioRequest) {
    const { operator, session } = requireSignedIn(request);
    return { results: await sessions.list(operator.id, session.id) };
  }

  async function endOthers(request: StudioRequest) {
    const { operator, session } = requireSignedIn(request);
    await store.write(await sessions.endAll(operator.id, session.id));
    return {};
  }

  async function endOne(request: AccessRequests["endOne"]) {
    await sessions.end(requireSignedIn(request).operator.id, request.pathParams.id);
    return {};
  }

  async function createAccessToken(request: AccessRequests["createAccessToken"]) {
    const { operator } = requireSignedIn(request);
    const { password, name, days } = request.params;
    // A token outlives the session, which may have been left open.
    await signIn.assertPassword(operator, password, clientInfo(request));
    const { writes, ...created } = sessions.createAccessToken(operator.id, clientInfo(request), {
      name,
      days,
    });
    await store.write(writes);
    request.setAuditDetails({ target: name, after: { expiresAt: created.expiresAt } });
    return created;
  }

  async function changePreferences(request: AccessRequests["changePreferences"]) {
    request.setAuditDetails({ after: request.params });
    return operators.setTheme(requireSignedIn(request).operator.id, request.params.theme);
  }

  async function changePassword(request: AccessRequests["changePassword"]) {
    const { operator } = requireSignedIn(request);
    await signIn.assertPassword(operator, request.params.password, clientInfo(request));
    await operators.setPassword(operator.id, request.params.newPassword, request.context);
    // All sessions end and this one gets a new token, which locks out anyone who knew an old one.
    const { session, writes } = sessions.create(operator.id, clientInfo(request));
    await store.write([...(await sessions.endAll(operator.id)), ...writes]);
    request.setCookie(sessionCookie(session.token, request.isSecure));
    return signedInState({ operator, session });
  }

  async function beginFactor(request: AccessRequests["beginFactor"]) {
    const { operator } = requireSignedIn(request);
    await signIn.assertPassword(operator, request.params.password, clientInfo(request));
    const secret = await operators.beginFactor(operator.id);
    const url = new TOTP({ issuer: `${appName} studio`, label: operator.username, secret }).toString();
    return { secret, url };
  }

  async function confirmFactor(request: AccessRequests["confirmFactor"]) {
    const { operator, session } = requireSignedIn(request);
    const recoveryCodes = await signIn.confirmFactor(operator, request.params.code);
    await store.write(await sessions.endAll(operator.id, session.id));
    return { recoveryCodes };
  }

  async function removeFactor(request: AccessRequests["removeFactor"]) {
    const { operator } = requireSignedIn(request);
    await signIn.assertPassword(operator, request.params.password, clientInfo(request));
    await signIn.removeFactor(operator, request.params);
    return {};
  }

  async function add(request: AccessRequests["addOperator"]) {
    const operator = await operators.add(request.params, false, request.context);
    request.setAuditDetails({ target: operator.username, after: { role: operator.role } });
    return operator;
  }

  async function change(request: AccessRequests["changeOperator"]) {
    const { role, isDisabled, password, removeSecondFactor, unlock } = request.params;
    const before = await operators.require(request.pathParams.id);
    if (password !== undefined) {
      await operators.setPassword(before.id, password, request.context);
      await operators.removePasskeys(before.id);
    }
    if (removeSecondFactor) await operators.removeFactor(before.id);
    if (unlock) await signIn.unlock(before.username);
    const changes = { ...(role !== undefined && { role }), ...(isDisabled !== undefined && { isDisabled }) };
    const after =
      Object.keys(changes).length > 0
        ? await operators.change(before.id, changes)
        : await operators.require(before.id);
    const current = requireSignedIn(request);
    await store.write(
      await sessions.endAll(before.id, before.id === current.operator.id ? current.session.id : undefined),
    );
    await endOperatorSessions(before.id);
    request.setAuditDetails({ target: before.username, before: summarize(before), after: summarize(after) });
    return after;
  }

  async function remove(request: AccessRequests["removeOperator"]) {
    const id = request.pathParams.id;
    if (id === requireSignedIn(request).operator.id) {
      throw new ProtocolError(
        ErrorCode.VALIDATION_ERROR,
        "You cannot delete your own account: another owner has to do it.",
      );
    }
    const removed = await operators.remove(id);
    await store.write(await sessions.endAll(id));
    await endOperatorSessions(id);
    request.setAuditDetails({ target: removed.username, before: summarize(removed) });
    return {};
  }

  async function sessionsOf(request: AccessRequests["operatorSessions"]) {
    const { session } = requireSignedIn(request);
    return { results: await sessions.list(request.pathParams.id, session.id) };
  }

  async function endSessionsOf(request: AccessRequests["endOperatorSessions"]) {
    const { id, username } = await operators.require(request.pathParams.id);
    request.setAuditDetails({ target: username });
    await store.write(await sessions.endAll(id, requireSignedIn(request).session.id));
    return {};
  }

  async function listAudit({ params: { after: before, ...filter } }: AccessRequests["audit"]) {
    return audit.list({ ...filter, before });
  }
}

/** The state after signing in. */
function signedInState({ operator, session }: SignedIn): StudioState {
  return { state: "signedIn", operator, csrf: session.csrf };
}

function clientInfo({ context, userAgent }: StudioRequest) {
  return { address: context.ip, userAgent };
}

function summarize({
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
