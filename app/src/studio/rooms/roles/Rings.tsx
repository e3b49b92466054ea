import type { StudioRoles } from "@purse/protocol";
import { Button } from "../../../design/Button.tsx";
import { Notice } from "../../../design/Status.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import { useChange } from "../parts/asking.ts";
import { useRoleChanges } from "./changes.ts";

/** From each to what it is part of, as the arrows of the picture lead; `ring` leads from each to what is in it. */
export function ringInWords([first = "", ...others]: readonly string[]): string {
  return [first, ...others.toReversed(), first].join(" → ");
}

/** Roles that lead back to themselves: everybody in one of them is in all, which nobody can have meant. */
export function Rings({ graph }: { graph: StudioRoles }) {
  const { t } = useTranslation();
  const may = useMay("editor");
  const { removeChild } = useRoleChanges();
  const cut = useChange(
    ({ parent, child }: { parent: string; child: string }) => removeChild(parent, child),
    t("The ring is open."),
  );
  const ids = new Map(graph.roles.map(({ id, name }) => [name, id]));
  return graph.cycles.map((ring) => {
    const [first = ""] = ring;
    const edges = ring.map((parent, i) => ({ parent, child: ring[i + 1] ?? first }));
    return (
      <Notice
        key={ring.join()}
        kind="danger"
        title={t("These roles lead back to themselves: {ring}", { ring: ringInWords(ring) })}
      >
        <p>{t("Whoever is in one of them is in all. Take one out of another:")}</p>
        <div className="row">
          {edges.map(({ parent, child }) => (
            <Button
              small
              key={parent}
              disabled={!may || cut.isPending}
              onClick={() => cut.mutate({ parent: ids.get(parent) ?? "", child: ids.get(child) ?? "" })}
            >
              {t("Take {child} out of {parent}", { child, parent })}
            </Button>
          ))}
        </div>
        {cut.error && <ErrorState error={cut.error} />}
      </Notice>
    );
  });
}
