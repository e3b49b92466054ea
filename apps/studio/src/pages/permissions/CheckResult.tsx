import type { StudioMembership, StudioPermissionCheck } from "@purse/server/studio-api";
import { Status, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { Check, CircleDashed, ShieldCheck, ShieldX, User, UsersRound, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Operation } from "./permissionMatrix.ts";

export interface CheckResultProps {
  check: StudioPermissionCheck;
  request: { className: string; operation: Operation; user: string; object: string };
  /** Username; empty for an anonymous user. */
  name: string;
}

/** The result of an access check with requester, roles and evaluated checks. */
export function CheckResult({ check, request, name }: CheckResultProps) {
  const { t } = useTranslation();
  const { isAllowed, isOfSome, why, steps, memberships, gates, hiddenFields } = check;
  const { className, operation, user, object } = request;
  const isAnonymous = user === "";
  const who = isAnonymous ? t("Anonymous user") : name;
  const isForObject = object !== "" && operation !== "create";
  const target = isForObject ? `${className} ${object}` : className;
  const passed = steps.filter(({ guard }) => !guard.startsWith("rule of")).map((step) => step.why);
  const isRead = operation === "get" || operation === "find" || operation === "count";
  const isClassLevel = isAllowed && !isForObject && operation !== "create";
  return (
    <>
      <div className="verdict" data-allowed={isAllowed} role="status">
        {isAllowed ? <ShieldCheck aria-hidden="true" /> : <ShieldX aria-hidden="true" />}
        <div>
          <p>
            <bdi>
              {isOfSome
                ? t("Partially allowed: {who} can {operation} {what} objects that point to them.", {
                    who,
                    operation,
                    what: target,
                  })
                : isAllowed
                  ? t("Allowed: {who} can {operation} {what}.", { who, operation, what: target })
                  : t("Denied: {who} can't {operation} {what}.", { who, operation, what: target })}
            </bdi>
          </p>
          <p className="soft">
            <span lang="en">{isAllowed ? passed.join("; ") : why}</span>
            {isClassLevel && `. ${t("Select an object to include its pointers and its ACL.")}`}
          </p>
        </div>
      </div>
      <ol className="check-steps" aria-label={t("Evaluation steps")}>
        <Step title={t("Requester")} icon={<User size={15} aria-hidden="true" />} state="info">
          <p>
            {isAnonymous ? t("Anonymous user: only public rules apply.") : <bdi>{name}.</bdi>}{" "}
            <span className="soft">{t("Without the master key, which bypasses all permission checks.")}</span>
          </p>
        </Step>
        {!isAnonymous && (
          <Step title={t("Roles")} icon={<UsersRound size={15} aria-hidden="true" />} state="info">
            {memberships.length === 0 && <p className="soft">{t("No roles")}</p>}
            <ul>
              {memberships.map((membership) => (
                <li key={membership.role} className="chain">
                  <Link to="/roles" search={{ role: membership.role }}>
                    <bdi>{membership.role}</bdi>
                  </Link>
                  <span className="soft">
                    <MembershipReason membership={membership} all={memberships} />
                  </span>
                </li>
              ))}
              {gates
                .filter(({ isMember }) => !isMember)
                .map(({ role, held, min }) => (
                  <li key={role} className="chain">
                    <Link to="/roles" search={{ role }}>
                      <bdi>{role}</bdi>
                    </Link>
                    <span className="soft">
                      {held === undefined
                        ? t("token gate not evaluated: balance currently unknown")
                        : t("token gate not met: balance {held}, minimum {min}", { held, min })}
                    </span>
                  </li>
                ))}
            </ul>
          </Step>
        )}
        {steps.map(({ guard, isPassed, why: explanation, isDeciding }) => (
          <Step
            key={guard}
            title={<span lang="en">{guard}</span>}
            icon={
              isPassed ? (
                <Check size={15} strokeWidth={2.6} role="img" aria-label={t("passed")} />
              ) : (
                <X size={15} strokeWidth={2.6} role="img" aria-label={t("refused")} />
              )
            }
            state={isPassed ? "passed" : "refused"}
            isDeciding={isDeciding}
          >
            <p className="log-text" lang="en">
              {explanation}
            </p>
          </Step>
        ))}
        {!isAllowed && check.decidedBy !== "acl" && (
          <Step
            title={t("Remaining checks")}
            icon={<CircleDashed size={15} aria-hidden="true" />}
            state="skipped"
          >
            <p>{t("Not evaluated")}</p>
          </Step>
        )}
      </ol>
      {isAllowed && isRead && hiddenFields.length > 0 && (
        <p>
          {t("Hidden fields:")} <code>{hiddenFields.join(", ")}</code>
        </p>
      )}
      {!isRead && (
        <p className="soft small">{t("Triggers are not evaluated because they can have side effects.")}</p>
      )}
      <p>
        <Link to="/permissions" search={{ show: "class", class: className }}>
          {t("Open permissions of {name}", { name: className })}
        </Link>
      </p>
    </>
  );
}

interface StepProps {
  title: ReactNode;
  icon: ReactNode;
  state: "info" | "passed" | "refused" | "skipped";
  isDeciding?: boolean;
  children: ReactNode;
}

function Step({ title, icon, state, isDeciding = false, children }: StepProps) {
  const { t } = useTranslation();
  return (
    <li data-state={state}>
      <span className="step-icon">{icon}</span>
      <div className={isDeciding ? "deciding" : undefined}>
        <p className="row">
          <strong>{title}</strong>
          {isDeciding && <Status kind={state === "refused" ? "danger" : "ok"}>{t("Decisive")}</Status>}
        </p>
        {children}
      </div>
    </li>
  );
}

interface MembershipReasonProps {
  membership: StudioMembership;
  all: readonly StudioMembership[];
}

/** Explains a membership, with the path of inherited roles. */
function MembershipReason({ membership, all }: MembershipReasonProps) {
  const { t } = useTranslation();
  if (membership.by === "user") return t("direct member");
  if (membership.by === "gate") return t("via token gate");
  const path: string[] = [];
  let current: StudioMembership | undefined = membership;
  while (current?.by === "role" && !path.includes(current.from)) {
    const { from }: { from: string } = current;
    path.push(from);
    current = all.find(({ role }) => role === from);
  }
  return t("inherited via {path}", { path: path.reverse().join(" → ") });
}
