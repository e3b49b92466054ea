import type { JsonObject, StudioCount, StudioRoles } from "@purse/protocol";
import { Link } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Field } from "../../../design/Field.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { useToast } from "../../../design/Toasts.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Query } from "../../api.ts";
import { useMay } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer, useChange, useRows } from "../parts/asking.ts";
import { startOf, UserFinder, useUserNames } from "../parts/Finder.tsx";
import { textOf } from "../parts/fields.ts";
import { Rows, Section } from "../parts/Room.tsx";
import { neighbours, type Role, reached } from "../parts/roles.ts";
import { useRoleChanges } from "./changes.ts";

/** Roles below that are listed: each is counted by itself. */
const MOST_INHERITED = 50;
/** Beyond this a count is not waited for. */
const CAP = 1_000;

/** Who is in a role: those it names, and those who are in it because they are in a role that is part of it. */
export function Members({ role, graph }: { role: Role; graph: StudioRoles }) {
  const { t } = useTranslation();
  const may = useMay("editor");
  const [isAdding, setAdding] = useState(false);
  const [text, setText] = useState("");
  const asked = useDeferredValue(text.trim());
  const byId = new Map(graph.roles.map((each) => [each.id, each]));
  const from = reached(role.id, neighbours(graph.edges, "down"));
  const inherited = [...from.keys()].flatMap((id) => byId.get(id) ?? []);
  /** The names on the way from a role below up to this one. */
  function way(id: string): string {
    const names: string[] = [];
    for (let at: string | undefined = id; at !== undefined; at = from.get(at)) {
      names.push(byId.get(at)?.name ?? at);
    }
    return names.join(" → ");
  }
  return (
    <Section
      title={t("Members")}
      actions={
        <Button small disabled={!may} onClick={() => setAdding(true)}>
          <UserPlus size={15} aria-hidden="true" />
          {t("Add a user")}
        </Button>
      }
    >
      <div className="stack members">
        <h3>
          {t("Its own users")} <Count role={role} />
        </h3>
        <Field
          label={t("Find a member")}
          type="search"
          placeholder={t("Beginning of a username")}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Users role={role} text={asked} canRemove />
        {role.gate && (
          <p className="soft">{t("Besides them: whoever holds what the token gate asks for.")}</p>
        )}
        {inherited.length > 0 && (
          <>
            <h3>{t("Inherited")}</h3>
            <div>
              {inherited.slice(0, MOST_INHERITED).map((each) => (
                <Inherited key={each.id} role={each} way={way(each.id)} text={asked} />
              ))}
              {inherited.length > MOST_INHERITED && (
                <p className="soft">
                  {t("And by {n} more roles.", { n: inherited.length - MOST_INHERITED })}
                </p>
              )}
            </div>
          </>
        )}
      </div>
      {isAdding && <AddUser role={role} onClose={() => setAdding(false)} />}
    </Section>
  );
}

/** Those of a role below: asked for once somebody wants to see them. */
function Inherited({ role, way, text }: { role: Role; way: string; text: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="inherited" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi>{t("By {role}", { role: role.name })}</bdi> <Count role={role} />
        <span className="soft small">
          <bdi>{way}</bdi>
        </span>
      </summary>
      {isOpen && (
        <div className="stack">
          <Users role={role} text={text} />
        </div>
      )}
    </details>
  );
}

function Count({ role }: { role: Role }) {
  const { t, count } = useTranslation();
  const { data, error } = useAnswer<StudioCount>("/data/_User/count", {
    query: { ...usersOf(role.id), cap: CAP },
  });
  if (!data && error) return <span className="soft small">{t("not counted")}</span>;
  if (!data) return null;
  return (
    <span className="soft small">
      {data.isCapped ? t("more than {n}", { n: CAP }) : count(data.count, "{n} user", "{n} users")}
    </span>
  );
}

function Users({ role, text, canRemove = false }: { role: Role; text: string; canRemove?: boolean }) {
  const { t } = useTranslation();
  const may = useMay("editor");
  const toast = useToast();
  const { addUser, removeUser } = useRoleChanges();
  const query = useRows("/data/_User", { ...usersOf(role.id, text), keys: "username", order: "username" });
  const back = useChange((user: string) => addUser(role.id, user));
  const remove = useChange(({ id }: { id: string; name: string }) => removeUser(role.id, id));
  return (
    <>
      <Rows query={query} label={t("Loading the users")}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="soft">{text === "" ? t("Nobody by name.") : t("Nobody here is called that.")}</p>
          ) : (
            <ul className="tied" aria-label={t("Users of {role}", { role: role.name })}>
              {rows.map((row) => {
                const [id, name] = [textOf(row, "objectId"), textOf(row, "username")];
                return (
                  <li key={id}>
                    <Link
                      to="/permissions"
                      search={{ show: "question", user: id }}
                      title={t("What may they do?")}
                    >
                      <bdi>{name}</bdi>
                    </Link>
                    {canRemove && (
                      <Button
                        small
                        disabled={!may || remove.isPending}
                        aria-label={t("Remove {name} from {role}", { name, role: role.name })}
                        onClick={() =>
                          remove.mutate(
                            { id, name },
                            {
                              onSuccess: () =>
                                toast(t("{name} is no longer in {role}.", { name, role: role.name }), {
                                  label: t("Undo"),
                                  run: () => back.mutate(id),
                                }),
                            },
                          )
                        }
                      >
                        {t("Remove")}
                      </Button>
                    )}
                  </li>
                );
              })}
            </ul>
          )
        }
      </Rows>
      {(remove.error ?? back.error) && <ErrorState error={remove.error ?? back.error} />}
    </>
  );
}

function AddUser({ role, onClose }: { role: Role; onClose: () => void }) {
  const { t } = useTranslation();
  const [user, setUser] = useState("");
  const name = useUserNames(user === "" ? [] : [user]).get(user) ?? user;
  const { addUser } = useRoleChanges();
  const add = useChange(() => addUser(role.id, user), t("{name} is in {role}.", { name, role: role.name }));
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Add a user to {role}", { role: role.name })}
      verb={t("Add")}
      busy={add.isPending}
      error={add.error}
      disabled={user === ""}
      onDo={() => add.mutate(undefined, { onSuccess: onClose })}
    >
      <UserFinder
        label={t("User")}
        hint={t("Type the beginning of a username, or an id.")}
        value={user}
        onChange={setUser}
      />
    </Ask>
  );
}

/** Those that a role names itself. */
function usersOf(id: string, text = ""): Query {
  const where: JsonObject = {
    $relatedTo: { object: { __type: "Pointer", className: "_Role", objectId: id }, key: "users" },
    ...(text !== "" && { username: { $regex: startOf(text) } }),
  };
  return { where };
}
