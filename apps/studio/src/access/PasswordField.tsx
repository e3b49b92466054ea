import { Field, type FieldProps, useTranslation } from "@purse/ui";
import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";

/** A password field with a button that shows the password. */
export function PasswordField(props: Omit<FieldProps, "type" | "after">) {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <Field
      {...props}
      type={isShown ? "text" : "password"}
      autoCapitalize="none"
      spellCheck={false}
      after={
        <button
          type="button"
          className="icon-button"
          aria-pressed={isShown}
          aria-label={t("Show password")}
          onClick={() => setShown(!isShown)}
        >
          <Icon size={18} aria-hidden="true" />
        </button>
      }
    />
  );
}
