import { isClassName, type JsonObject } from "@purse/protocol";
import { ConfirmDialog, Field, newName, Select, useForm, useTranslation } from "@purse/ui";
import { useState } from "react";
import * as z from "zod/mini";
import { SchemaDiff } from "../../components/SchemaDiff.tsx";

type AccessPreset = "closed" | "signedIn" | "readable" | "open";

const OPERATIONS = ["get", "find", "count", "create", "update", "delete"] as const;
const PUBLIC = { "*": true };
const AUTHENTICATED = { requiresAuthentication: true };

export interface NewClassProps {
  existingNames: readonly string[];
  onClose: () => void;
  onDone: (className: string) => void;
}

/** Asks for the name and initial permissions of a new class. */
export function NewClass({ existingNames, onClose, onDone }: NewClassProps) {
  const { t } = useTranslation();
  const form = useForm(
    z.object({
      name: newName(
        (name) => isClassName(name) && !name.startsWith("_"),
        "Use letters, digits and _, starting with a letter.",
        existingNames,
        "A class with this name already exists.",
      ),
      preset: z.enum(["closed", "signedIn", "readable", "open"]),
    }),
    { name: "", preset: "signedIn" },
  );
  const { name, preset } = form.values;
  const [isPreviewing, setPreviewing] = useState(false);
  if (isPreviewing) {
    return (
      <SchemaDiff
        isNew
        className={name}
        edit={{ classLevelPermissions: permissionsOf(preset) }}
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
      <Select
        label={t("Initial permissions")}
        {...form.choice("preset")}
        options={{
          closed: t("Master key only"),
          signedIn: t("Authenticated users"),
          readable: t("Public read, authenticated write"),
          open: t("Public read and write"),
        }}
      />
      <p className="soft small">
        {t("Add fields in the next step. You can change permissions at any time.")}
      </p>
    </ConfirmDialog>
  );
}

/** `addField` is never granted, so only the master key adds fields. */
function permissionsOf(preset: AccessPreset): JsonObject {
  if (preset === "closed") return {};
  const permissionFor = (operation: (typeof OPERATIONS)[number]) => {
    if (preset === "open") return PUBLIC;
    const isRead = operation === "get" || operation === "find" || operation === "count";
    return preset === "readable" && isRead ? PUBLIC : AUTHENTICATED;
  };
  return Object.fromEntries(OPERATIONS.map((operation) => [operation, permissionFor(operation)]));
}
