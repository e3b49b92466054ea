import { Select, useTranslation } from "@purse/ui";
import { type AccessPreset, useAccessPresets } from "./accessPresets.ts";

const NOTHING = "—";

/** Offers common permissions by name; choosing one opens its preview. */
export function AccessMenu({ onChoose }: { onChoose: (preset: AccessPreset) => void }) {
  const { t } = useTranslation();
  const presets = useAccessPresets();
  const options = Object.entries(presets).map(([key, label]) => ({ key, label }));
  return (
    <Select
      label={t("Set access to")}
      hideLabel
      value={NOTHING}
      onChange={(key) => {
        if (isPreset(key)) onChoose(key);
      }}
      options={[{ key: NOTHING, label: t("Set access…") }, ...options]}
    />
  );

  function isPreset(key: string): key is AccessPreset {
    return Object.hasOwn(presets, key);
  }
}
