import type { JsonObject } from "@purse/protocol";
import type { StudioRoles } from "@purse/server/studio-api";
import { Button, ErrorState, Field, MutationDialog, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { prefixPattern, UserCombobox, useUserNames } from "../../components/Combobox.tsx";
import { DialogButton } from "../../components/DialogButton.tsx";
import { stringField } from "../../components/fields.ts";
import { ListState } from "../../components/ListState.tsx";
import { Section } from "../../components/Page.tsx";
import { adjacency, type Role, reachableFrom } from "../../components/useRoles.ts";
import {
  useInfiniteStudioQuery,
  useStudioMutation,
  useStudioQuery,
  useUndoableMutation,
} from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { useRoleChanges } from "./roleChanges.ts";

/** Maximum number of inherited roles listed, since each is counted separately. */
const MAX_INHERITED_ROLES = 50;
/** Counts stop at this number. */
const COUNT_CAP = 1_000;

/** Direct members of a role and members inherited from child roles. */
export function Members({ role, graph }: { role: Role; graph: StudioRoles }) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const [text, setText] = useState("");
  const searchText = useDeferredValue(text.trim());
  const byId = new Map(graph.roles.map((each) => [each.id, each]));
  const reachable = reachableFrom(role.id, adjacency(graph.edges, "down"));
  const inherited = [...reachable.keys()].flatMap((id) => byId.get(id) ?? []);
  /** Role names on the path from a descendant to this role. */
  function pathFrom(id: string): string {
    const names: string[] = [];
    for (let current: string | undefined = id; current !== undefined; current = reachable.get(current)) {
      names.push(byId.get(current)?.name ?? current);
    }
    return names.join(" → ");
  }
  return (
    <Section
      title={t("Members")}
      actions={
        <DialogButton
          small
          icon={UserPlus}
          disabled={!canEdit}
          label={t("Add user")}
          dialog={(close) => <AddUser role={role} onClose={close} />}
        />
      }
    >
      <div className="stack members">
        <h3>
          {t("Direct members")} <MemberCount role={role} />
        </h3>
        <Field
          label={t("Search members")}
          type="search"
          placeholder={t("Username prefix")}
          value={text}
          onText={setText}
        />
        <UserList role={role} text={searchText} canRemove />
        {role.gate && <p className="soft">{t("Users who meet the token gate are members too.")}</p>}
        {inherited.length > 0 && (
          <>
            <h3>{t("Inherited")}</h3>
            <div>
              {inherited.slice(0, MAX_INHERITED_ROLES).map((each) => (
                <InheritedMembers key={each.id} role={each} pathFrom={pathFrom(each.id)} text={searchText} />
              ))}
              {inherited.length > MAX_INHERITED_ROLES && (
                <p className="soft">
                  {t("And {n, number} more roles", { n: inherited.length - MAX_INHERITED_ROLES })}
                </p>
              )}
            </div>
          </>
        )}
      </div>
    </Section>
  );
}

/** Members of a descendant role, loaded when expanded. */
function InheritedMembers({ role, pathFrom, text }: { role: Role; pathFrom: string; text: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="inherited" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi>{t("Via {role}", { role: role.name })}</bdi> <MemberCount role={role} />
        <span className="soft small">
          <bdi>{pathFrom}</bdi>
        </span>
      </summary>
      {isOpen && (
        <div className="stack">
          <UserList role={role} text={text} />
        </div>
      )}
    </details>
  );
}

function MemberCount({ role }: { role: Role }) {
  const { t } = useTranslation();
  const { data, error } = useStudioQuery("/data/:className/count", {
    ...memberQuery(role.id),
    cap: COUNT_CAP,
  });
  if (!data && error) return <span className="soft small">{t("not counted")}</span>;
  if (!data) return null;
  return (
    <span className="soft small">
      {data.isCapped
        ? t("{n, number}+", { n: COUNT_CAP })
        : t("{n, plural, one {# user} other {# users}}", { n: data.count })}
    </span>
  );
}

function UserList({ role, text, canRemove = false }: { role: Role; text: string; canRemove?: boolean }) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const { addUser, removeUser } = useRoleChanges();
  const query = useInfiniteStudioQuery("/data/:className", {
    ...memberQuery(role.id, text),
    keys: "username",
    order: "username",
  });
  const remove = useUndoableMutation(
    ({ id }: { id: string; name: string }) => removeUser(role.id, id),
    ({ id }) => addUser(role.id, id),
    ({ name }) => t("{name} removed from {role}", { name, role: role.name }),
  );
  return (
    <>
      <ListState query={query} label={t("Loading users…")}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="soft">{text === "" ? t("No direct members") : t("No matching members")}</p>
          ) : (
            <ul className="linked-roles" aria-label={t("Users of {role}", { role: role.name })}>
              {rows.map((row) => {
                const [id, name] = [stringField(row, "objectId"), stringField(row, "username")];
                return (
                  <li key={id}>
                    <Link to="/permissions" search={{ show: "question", user: id }} title={t("Check access")}>
                      <bdi>{name}</bdi>
                    </Link>
                    {canRemove && (
                      <Button
                        small
                        disabled={!canEdit || remove.isPending}
                        aria-label={t("Remove {name} from {role}", { name, role: role.name })}
                        onClick={() => remove.mutate({ id, name })}
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
      </ListState>
      {remove.error && <ErrorState error={remove.error} />}
    </>
  );
}

function AddUser({ role, onClose }: { role: Role; onClose: () => void }) {
  const { t } = useTranslation();
  const [user, setUser] = useState("");
  const name = useUserNames(user === "" ? [] : [user]).get(user) ?? user;
  const { addUser } = useRoleChanges();
  const add = useStudioMutation(
    () => addUser(role.id, user),
    t("{name} added to {role}", { name, role: role.name }),
  );
  return (
    <MutationDialog
      onClose={onClose}
      title={t("Add user to {role}", { role: role.name })}
      confirmLabel={t("Add")}
      mutation={add}
      disabled={user === ""}
    >
      <UserCombobox
        label={t("User")}
        hint={t("Search by username prefix or ID")}
        value={user}
        onChange={setUser}
      />
    </MutationDialog>
  );
}

/** Query for the direct members of a role. */
function memberQuery(id: string, text = "") {
  const where: JsonObject = {
    $relatedTo: { object: { __type: "Pointer", className: "_Role", objectId: id }, key: "users" },
    ...(text !== "" && { username: { $regex: prefixPattern(text) } }),
  };
  return { className: "_User", where };
}
