import type { JsonObject } from "@purse/protocol";
import { Link } from "@tanstack/react-router";
import { Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { FailedRead } from "../../../design/QueryState.tsx";
import { Status } from "../../../design/Status.tsx";
import { EmptyState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { type ClassRow, isOfServer } from "../parts/classes.ts";
import { Section } from "../parts/Room.tsx";
import { namesAbove, useRoles } from "../parts/roles.ts";
import { useUrl } from "../parts/useUrl.ts";
import { EffectMark } from "./EffectMark.tsx";
import {
  EVERYONE,
  effectOf,
  impliedBy,
  isGranted,
  isWrite,
  OPERATIONS,
  type Operation,
  ROLE,
  SIGNED_IN,
} from "./permissions.ts";

const ANYBODY = "anybody";

/** Which class is open to whom: every operation of every class, as it is or as somebody finds it. */
export function AllClasses({ classes }: { classes: readonly ClassRow[] }) {
  const { t, count } = useTranslation();
  const roleGraph = useRoles();
  const roles = roleGraph.data;
  const [who, setWho] = useUrl("who");
  const [text, setText] = useUrl("find");
  const above = roles ? namesAbove(roles) : () => [];
  const shown = classes.filter(({ className }) =>
    className.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const own = classes.filter((row) => !isOfServer(row));
  const writable = own.filter(({ classLevelPermissions }) =>
    OPERATIONS.some(
      (operation) => isWrite(operation) && effectOf(classLevelPermissions, operation).kind === "everyone",
    ),
  );
  const has = (kind: "everyone" | "nobody") =>
    own.filter(({ classLevelPermissions }) =>
      OPERATIONS.every((operation) => effectOf(classLevelPermissions, operation).kind === kind),
    ).length;
  return (
    <>
      <dl className="tiles">
        <div className="tile">
          <dt>{t("Wholly open to everyone")}</dt>
          <dd>{count(has("everyone"), "{n} class", "{n} classes")}</dd>
        </div>
        <div className="tile">
          <dt>{t("Everyone may change something")}</dt>
          <dd>{count(writable.length, "{n} class", "{n} classes")}</dd>
        </div>
        <div className="tile">
          <dt>{t("For the server alone")}</dt>
          <dd>{count(has("nobody"), "{n} class", "{n} classes")}</dd>
        </div>
      </dl>
      <Section title={t("Classes of the application")}>
        <div className="filters as-for">
          <div className="field grow">
            <Field
              label={t("Find a class")}
              type="search"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
          <Select
            label={t("As it is for")}
            value={who === "" ? ANYBODY : who}
            onChange={(key) => setWho(key === ANYBODY ? "" : key)}
            options={[
              { key: ANYBODY, label: t("Anybody") },
              { key: EVERYONE, label: t("Who is not signed in") },
              { key: SIGNED_IN, label: t("Whoever is signed in") },
              ...(roles?.roles ?? []).map(({ name }) => ({
                key: ROLE + name,
                label: t("Members of {name}", { name }),
              })),
            ]}
          />
        </div>
        <FailedRead query={roleGraph}>
          {t("The roles could not be read: inherited rights are missing")}
        </FailedRead>
        <Glance
          caption={t("Classes of the application")}
          rows={shown.filter((row) => !isOfServer(row))}
          who={who}
          above={above}
        />
        <p className="soft small">
          {t("What classes let pass, the ACL of each object is still asked for. The master key passes all.")}
        </p>
      </Section>
      <Section title={t("Classes of the server")}>
        <p className="soft">
          {t(
            "They have rules of their own besides, which no permission lifts: who sees which session, for one.",
          )}
        </p>
        {who === "" ? (
          <Glance
            caption={t("Classes of the server")}
            rows={shown.filter(isOfServer)}
            who={who}
            above={above}
          />
        ) : (
          <p>
            <Link to="/permissions" search={{ show: "question", class: "_User" }}>
              {t("Ask what one user may do with one object")}
            </Link>
          </p>
        )}
      </Section>
    </>
  );
}

function Glance({
  caption,
  rows,
  who,
  above,
}: {
  caption: string;
  rows: readonly ClassRow[];
  who: string;
  above: (role: string) => readonly string[];
}) {
  const { t } = useTranslation();
  return (
    <div className="at-a-glance">
      <Table
        caption={caption}
        rows={rows}
        rowKey={({ className }) => className}
        empty={<EmptyState title={t("There is no class of that name here")} />}
        columns={[
          {
            key: "class",
            label: t("Class"),
            cell: ({ className }) => (
              <Link to="/permissions" search={{ show: "class", class: className }}>
                {className}
              </Link>
            ),
          },
          ...OPERATIONS.map((operation) => ({
            key: operation,
            label: operation,
            cell: ({ className, classLevelPermissions }: ClassRow) =>
              who === "" ? (
                <EffectMark
                  effect={effectOf(classLevelPermissions, operation)}
                  hasOwnRules={className.startsWith("_")}
                />
              ) : (
                <Standing {...{ permissions: classLevelPermissions, operation, who, above }} />
              ),
          })),
        ]}
      />
    </div>
  );
}

/** What an operation of a class is to somebody. */
function Standing({
  permissions,
  operation,
  who,
  above,
}: {
  permissions: JsonObject;
  operation: Operation;
  who: string;
  above: (role: string) => readonly string[];
}) {
  const { t } = useTranslation();
  const effect = effectOf(permissions, operation);
  const isOpen =
    effect.kind === "everyone" ||
    (effect.kind === "signedIn" && who !== EVERYONE) ||
    (who.startsWith(ROLE) &&
      (isGranted(permissions, operation, who) ||
        impliedBy(permissions, operation, who, above) !== undefined));
  if (isOpen) return <Status kind="ok">{t("Yes")}</Status>;
  if (effect.kind === "some" && effect.fields.length > 0 && who !== EVERYONE) {
    return <Status kind="warning">{t("Their own")}</Status>;
  }
  return <Status kind="idle">{t("No")}</Status>;
}
