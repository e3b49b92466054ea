import { isClassName, type JsonObject } from "@purse/protocol";
import { ConfirmDialog, Field, Select, useTranslation } from "@purse/ui";
import { useState } from "react";
import { SchemaDiff } from "../../components/SchemaDiff.tsx";

type AccessPreset = "closed" | "signedIn" | "readable" | "open";

const OPERATIONS = ["get", "find", "count", "create", "update", "delete"] as const;
const PUBLIC = { "*": true };
const AUTHENTICATED = { requiresAuthentication: true };

/** Asks for the name and initial permissions of a new class. */
export function NewClass({
  existingNames,
  onClose,
  onDone,
}: {
  existingNames: readonly string[];
  onClose: () => void;
  onDone: (className: string) => void;
}) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const [preset, setPreset] = useState<AccessPreset>("signedIn");
  const [isPreviewing, setPreviewing] = useState(false);
  const problem =
    name === ""
      ? undefined
      : !isClassName(name) || name.startsWith("_")
        ? t("Use letters, digits and _, starting with a letter.")
        : existingNames.includes(name)
          ? t("A class with this name already exists.")
          : undefined;
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
      disabled={name === "" || problem !== undefined}
      onConfirm={() => setPreviewing(true)}
    >
      <Field
        label={t("Name")}
        value={name}
        onChange={(event) => setName(event.target.value)}
        problem={problem}
        maxLength={128}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Select<AccessPreset>
        label={t("Initial permissions")}
        value={preset}
        onChange={setPreset}
        options={[
          { key: "closed", label: t("Master key only") },
          { key: "signedIn", label: t("Authenticated users") },
          { key: "readable", label: t("Public read, authenticated write") },
          { key: "open", label: t("Public read and write") },
        ]}
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
