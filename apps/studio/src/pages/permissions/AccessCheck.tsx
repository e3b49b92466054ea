import type { StudioClass } from "@purse/server/studio-api";
import { QueryState, Select, useTranslation } from "@purse/ui";
import { Check, LoaderCircle, X } from "lucide-react";
import { Combobox, prefixPattern, UserCombobox, useUserNames } from "../../components/Combobox.tsx";
import { stringField } from "../../components/fields.ts";
import { Section } from "../../components/Page.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { CheckResult } from "./CheckResult.tsx";
import { OPERATIONS } from "./permissionMatrix.ts";

/** `addField` is part of an update and not checked by itself. */
const CHECKED_OPERATIONS = OPERATIONS.filter((operation) => operation !== "addField");

/** Checks whether a user can access a class or an object, and why. The request is kept in the URL. */
export function AccessCheck({ classes }: { classes: readonly StudioClass[] }) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useSearchParam("class");
  const [user, setUser] = useSearchParam("user");
  const [object, setObject] = useSearchParam("object");
  const [operationParam, setOperation] = useSearchParam("operation");
  const className =
    classes.find((each) => each.className === chosen)?.className ?? classes[0]?.className ?? "";
  const operation = CHECKED_OPERATIONS.find((each) => each === operationParam) ?? "get";
  const names = useUserNames(user === "" ? [] : [user]);
  return (
    <>
      <Section title={t("Request")}>
        <div className="filters">
          <UserCombobox label={t("User")} placeholder={t("Anonymous user")} value={user} onChange={setUser} />
          <Select
            label={t("Class")}
            value={className}
            onChange={(to) => {
              setChosen(to);
              setObject("");
            }}
            options={classes.map((each) => ({ key: each.className, label: each.className }))}
          />
          <Combobox
            key={className}
            label={t("Object")}
            placeholder={t("Any object")}
            value={object}
            displayValue={object}
            onChange={setObject}
            className={className}
            buildQuery={(text) => ({
              keys: "objectId",
              order: "-createdAt",
              ...(text !== "" && { where: { objectId: { $regex: prefixPattern(text) } } }),
            })}
            toOption={(row) => ({
              key: stringField(row, "objectId"),
              label: stringField(row, "objectId"),
              description: stringField(row, "createdAt").slice(0, 10),
            })}
            allowsCustomValue
          />
        </div>
        <fieldset className="operations" aria-label={t("Operation")}>
          {CHECKED_OPERATIONS.map((each) => (
            <OperationChoice
              key={each}
              request={{ className, operation: each, user, object }}
              isSelected={each === operation}
              onSelect={() => setOperation(each)}
            />
          ))}
        </fieldset>
      </Section>
      <CheckSection request={{ className, operation, user, object }} name={names.get(user) ?? user} />
    </>
  );
}

interface PermissionRequest {
  className: string;
  operation: (typeof CHECKED_OPERATIONS)[number];
  user: string;
  object: string;
}

function useCheck({ className, operation, user, object }: PermissionRequest) {
  return useStudioQuery(
    "/permissions/check",
    // A new object has no id yet.
    { className, operation, user, objectId: operation === "create" ? "" : object },
    { enabled: className !== "" },
  );
}

interface OperationChoiceProps {
  request: PermissionRequest;
  isSelected: boolean;
  onSelect: () => void;
}

/** A button for an operation that shows its result; selecting it shows the details. */
function OperationChoice({ request, isSelected, onSelect }: OperationChoiceProps) {
  const { t } = useTranslation();
  const { data, error } = useCheck(request);
  return (
    <button type="button" aria-pressed={isSelected} onClick={onSelect}>
      {request.operation}
      {data ? (
        data.isOfSome ? (
          <span className="small">{t("some")}</span>
        ) : (
          <span data-allowed={data.isAllowed}>
            {data.isAllowed ? <Check size={18} aria-hidden="true" /> : <X size={18} aria-hidden="true" />}
            <span className="visually-hidden">{data.isAllowed ? t("yes") : t("no")}</span>
          </span>
        )
      ) : error ? (
        <span className="soft">–</span>
      ) : (
        <LoaderCircle size={18} className="soft" aria-hidden="true" />
      )}
    </button>
  );
}

function CheckSection({ request, name }: { request: PermissionRequest; name: string }) {
  const { t } = useTranslation();
  const query = useCheck(request);
  return (
    <Section title={t("Result")}>
      <QueryState query={query} label={t("Checking permissions…")}>
        {(check) => <CheckResult check={check} request={request} name={name} />}
      </QueryState>
    </Section>
  );
}
