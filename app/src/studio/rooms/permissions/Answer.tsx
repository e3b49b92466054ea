import type { StudioMembership, StudioPermissionCheck } from "@purse/protocol";
import { Link } from "@tanstack/react-router";
import { Check, CircleDashed, ShieldCheck, ShieldX, User, UsersRound, X } from "lucide-react";
import type { ReactNode } from "react";
import { Status } from "../../../design/Status.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Operation } from "./permissions.ts";

export interface AnswerProps {
  check: StudioPermissionCheck;
  question: { className: string; operation: Operation; user: string; object: string };
  /** Of the user; empty for somebody who is not signed in. */
  name: string;
}

/** The answer, and how it came about: who asks, by which roles, and what each guard said. */
export function Answer({ check, question, name }: AnswerProps) {
  const { t } = useTranslation();
  const { isAllowed, isOfSome, why, steps, memberships, gates, hiddenFields } = check;
  const { className, operation, user, object } = question;
  const isNobody = user === "";
  const who = isNobody ? t("Somebody who is not signed in") : name;
  const isOfRow = object !== "" && operation !== "create";
  const what = isOfRow ? `${className} ${object}` : className;
  const passed = steps.filter(({ guard }) => !guard.startsWith("rule of")).map((step) => step.why);
  const isRead = operation === "get" || operation === "find" || operation === "count";
  const isOpen = isAllowed && !isOfRow && operation !== "create";
  return (
    <>
      <div className="verdict" data-allowed={isAllowed} role="status">
        {isAllowed ? <ShieldCheck aria-hidden="true" /> : <ShieldX aria-hidden="true" />}
        <div>
          <p>
            <bdi>
              {isOfSome
                ? t("Some: {who} may {operation} those objects of {what} that point to them.", {
                    who,
                    operation,
                    what,
                  })
                : isAllowed
                  ? t("Yes: {who} may {operation} {what}.", { who, operation, what })
                  : t("No: {who} may not {operation} {what}.", { who, operation, what })}
            </bdi>
          </p>
          <p className="soft">
            {isAllowed ? passed.join("; ") : why}
            {isOpen && `. ${t("Name an object to hear what its pointers and its ACL say.")}`}
          </p>
        </div>
      </div>
      <ol className="judged" aria-label={t("How it was judged")}>
        <Step title={t("Who asks")} sign={<User size={15} aria-hidden="true" />} state="told">
          <p>
            {isNobody ? t("Nobody by name: what is open to everyone is open to them.") : <bdi>{name}.</bdi>}{" "}
            <span className="soft">{t("Not the master key, which passes every guard.")}</span>
          </p>
        </Step>
        {!isNobody && (
          <Step title={t("Roles")} sign={<UsersRound size={15} aria-hidden="true" />} state="told">
            {memberships.length === 0 && <p className="soft">{t("In no role.")}</p>}
            <ul>
              {memberships.map((membership) => (
                <li key={membership.role} className="chain">
                  <Link to="/roles" search={{ role: membership.role }}>
                    <bdi>{membership.role}</bdi>
                  </Link>
                  <span className="soft">
                    <Why membership={membership} all={memberships} />
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
                        ? t("not by its token gate: what they hold is not known now")
                        : t("not by its token gate: they hold {held} of at least {min}", { held, min })}
                    </span>
                  </li>
                ))}
            </ul>
          </Step>
        )}
        {steps.map(({ guard, isPassed, why: said, isDeciding }) => (
          <Step
            key={guard}
            title={guard}
            sign={
              isPassed ? (
                <Check size={15} strokeWidth={2.6} role="img" aria-label={t("passed")} />
              ) : (
                <X size={15} strokeWidth={2.6} role="img" aria-label={t("refused")} />
              )
            }
            state={isPassed ? "passed" : "refused"}
            isDeciding={isDeciding}
          >
            <p className="said">{said}</p>
          </Step>
        ))}
        {!isAllowed && check.decidedBy !== "acl" && (
          <Step
            title={t("What comes after")}
            sign={<CircleDashed size={15} aria-hidden="true" />}
            state="unasked"
          >
            <p>{t("Was not asked any more.")}</p>
          </Step>
        )}
      </ol>
      {isAllowed && isRead && hiddenFields.length > 0 && (
        <p>
          {t("Left out of what they see:")} <code>{hiddenFields.join(", ")}</code>
        </p>
      )}
      {!isRead && (
        <p className="soft small">
          {t("Triggers of the application are not asked: they may do more than look.")}
        </p>
      )}
      <p>
        <Link to="/permissions" search={{ show: "class", class: className }}>
          {t("Open the permissions of {name}", { name: className })}
        </Link>
      </p>
    </>
  );
}

function Step({
  title,
  sign,
  state,
  isDeciding = false,
  children,
}: {
  title: string;
  sign: ReactNode;
  state: "told" | "passed" | "refused" | "unasked";
  isDeciding?: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <li data-state={state}>
      <span className="sign">{sign}</span>
      <div className={isDeciding ? "deciding" : undefined}>
        <p className="row">
          <strong>{title}</strong>
          {isDeciding && <Status kind={state === "refused" ? "danger" : "ok"}>{t("Decided")}</Status>}
        </p>
        {children}
      </div>
    </li>
  );
}

/** How somebody came to be in a role: the whole way where it was by others. */
function Why({ membership, all }: { membership: StudioMembership; all: readonly StudioMembership[] }) {
  const { t } = useTranslation();
  if (membership.by === "user") return t("as one of its users");
  if (membership.by === "gate") return t("by its token gate");
  const way: string[] = [];
  let at: StudioMembership | undefined = membership;
  while (at?.by === "role" && !way.includes(at.from)) {
    const { from }: { from: string } = at;
    way.push(from);
    at = all.find(({ role }) => role === from);
  }
  return t("because they are in {way}", { way: way.reverse().join(" → ") });
}
