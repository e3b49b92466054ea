import type { StudioRoles } from "@purse/protocol";
import { Button } from "../../../design/Button.tsx";
import { Notice } from "../../../design/Status.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useStudioMutation } from "../../components/queries.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { useRoleChanges } from "./roleChanges.ts";

/** From each to what it is part of, as the arrows of the picture lead; `ring` leads from each to what is in it. */
export function describeCycle([first = "", ...others]: readonly string[]): string {
  return [first, ...others.toReversed(), first].join(" → ");
}

/** Roles that lead back to themselves: everybody in one of them is in all, which nobody can have meant. */
export function RoleCycles({ graph }: { graph: StudioRoles }) {
  const { t } = useTexts();
  const canEdit = useHasRole("editor");
  const { removeChild } = useRoleChanges();
  const removeLink = useStudioMutation(
    ({ parent, child }: { parent: string; child: string }) => removeChild(parent, child),
    t("Role cycle resolved"),
  );
  const ids = new Map(graph.roles.map(({ id, name }) => [name, id]));
  return graph.cycles.map((cycle) => {
    const [first = ""] = cycle;
    const edges = cycle.map((parent, i) => ({ parent, child: cycle[i + 1] ?? first }));
    return (
      <Notice
        key={cycle.join()}
        kind="danger"
        title={t("Role cycle: {cycle}", { cycle: describeCycle(cycle) })}
      >
        <p>
          {t(
            "Members of one of these roles are members of all of them. Remove one link to resolve the cycle:",
          )}
        </p>
        <div className="row">
          {edges.map(({ parent, child }) => (
            <Button
              small
              key={parent}
              disabled={!canEdit || removeLink.isPending}
              onClick={() =>
                removeLink.mutate({ parent: ids.get(parent) ?? "", child: ids.get(child) ?? "" })
              }
            >
              {t("Remove {child} from {parent}", { child, parent })}
            </Button>
          ))}
        </div>
        {removeLink.error && <ErrorState error={removeLink.error} />}
      </Notice>
    );
  });
}
