import type { StudioRoles } from "@purse/server/studio-api";
import { Button, ErrorState, Notice, useTranslation } from "@purse/ui";
import { useStudioMutation } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { useRoleChanges } from "./roleChanges.ts";

/** Describes a cycle from child to parent, as the arrows of the graph point; the input lists parents before children. */
export function describeCycle([first = "", ...others]: readonly string[]): string {
  return [first, ...others.toReversed(), first].join(" → ");
}

/** Role cycles, with a button to remove each link. */
export function RoleCycles({ graph }: { graph: StudioRoles }) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const { removeChild } = useRoleChanges();
  const removeLink = useStudioMutation(
    (_, { parent, child }: { parent: string; child: string }) => removeChild(parent, child),
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
