import { isClassName } from "@purse/protocol";
import { ConfirmDialog, Field, newName, Select, useForm, useTranslation } from "@purse/ui";
import { useState } from "react";
import * as z from "zod/mini";
import { SchemaDiff } from "../../components/SchemaDiff.tsx";
import { ACCESS_PRESETS, useAccessPresets } from "../permissions/accessPresets.ts";

export interface NewClassProps {
  existingNames: readonly string[];
  onClose: () => void;
  onDone: (className: string) => void;
}

/** Asks for the name and initial permissions of a new class. */
export function NewClass({ existingNames, onClose, onDone }: NewClassProps) {
  const { t } = useTranslation();
  const presets = useAccessPresets();
  const form = useForm(
    z.object({
      name: newName(
        (name) => isClassName(name) && !name.startsWith("_"),
        "Use letters, digits and _, starting with a letter.",
        existingNames,
        "A class with this name already exists.",
      ),
      preset: z.enum(ACCESS_PRESETS),
    }),
    { name: "", preset: "usersOwn" },
  );
  const { name, preset } = form.values;
  const [isPreviewing, setPreviewing] = useState(false);
  if (isPreviewing) {
    return (
      <SchemaDiff
        isNew
        className={name}
        edit={{ access: preset }}
        successMessage={t("{name} created", { name })}
        onClose={() => setPreviewing(false)}
        onDone={() => onDone(name)}
      />
    );
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("Create class")}
      confirmLabel={t("Continue")}
      disabled={!form.isValid}
      onConfirm={form.submit(() => setPreviewing(true))}
    >
      <Field label={t("Name")} {...form.input("name")} maxLength={128} isCode />
      <Select label={t("Initial permissions")} {...form.choice("preset")} options={presets} />
      <p className="soft small">
        {t("Add fields in the next step. You can change permissions at any time.")}
      </p>
    </ConfirmDialog>
  );
}
