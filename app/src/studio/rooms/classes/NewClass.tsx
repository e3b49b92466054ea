import { isClassName, type JsonObject } from "@purse/protocol";
import { useState } from "react";
import { Select } from "../../../design/Choice.tsx";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { SchemaDiff } from "../parts/SchemaDiff.tsx";

type Start = "closed" | "signedIn" | "readable" | "open";

const OPERATIONS = ["get", "find", "count", "create", "update", "delete"] as const;
const EVERYBODY = { "*": true };
const SIGNED_IN = { requiresAuthentication: true };

/** A name, and who may use the class to begin with. */
export function NewClass({
  taken,
  onClose,
  onDone,
}: {
  taken: readonly string[];
  onClose: () => void;
  onDone: (className: string) => void;
}) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const [start, setStart] = useState<Start>("signedIn");
  const [isSure, setSure] = useState(false);
  const problem =
    name === ""
      ? undefined
      : !isClassName(name) || name.startsWith("_")
        ? t("Letters, digits and _; the first is a letter.")
        : taken.includes(name)
          ? t("There is a class of this name already.")
          : undefined;
  if (isSure) {
    return (
      <SchemaDiff
        isNew
        className={name}
        edit={{ classLevelPermissions: permissionsOf(start) }}
        said={t("{name} is created.", { name })}
        onClose={() => setSure(false)}
        onDone={() => onDone(name)}
      />
    );
  }
  return (
    <Ask
      open
      onClose={onClose}
      title={t("Create a class")}
      verb={t("Go on")}
      busy={false}
      disabled={name === "" || problem !== undefined}
      onDo={() => setSure(true)}
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
      <Select<Start>
        label={t("Who may use it")}
        value={start}
        onChange={setStart}
        options={[
          { key: "closed", label: t("The server alone") },
          { key: "signedIn", label: t("Whoever is signed in") },
          { key: "readable", label: t("Everyone reads, the signed in write") },
          { key: "open", label: t("Everyone reads and writes") },
        ]}
      />
      <p className="soft small">{t("Fields come next; permissions can be changed at any time.")}</p>
    </Ask>
  );
}

/** Nobody but the server adds fields, whatever is chosen. */
function permissionsOf(start: Start): JsonObject {
  if (start === "closed") return {};
  const of = (operation: (typeof OPERATIONS)[number]) => {
    if (start === "open") return EVERYBODY;
    const isRead = operation === "get" || operation === "find" || operation === "count";
    return start === "readable" && isRead ? EVERYBODY : SIGNED_IN;
  };
  return Object.fromEntries(OPERATIONS.map((operation) => [operation, of(operation)]));
}
