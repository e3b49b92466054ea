import { type ParseObject, Query, ParseObject as Record } from "@purse/client";
import { ownValue } from "@purse/protocol";
import { useMoralis } from "@purse/react";
import {
  Button,
  Checkbox,
  type DataField,
  Dialog,
  EmptyState,
  ErrorState,
  explain,
  type Filter,
  FilterList,
  isForbidden,
  QueryState,
  RelativeTime,
  Select,
  Table,
  type Translator,
  toWhere,
  useToast,
  useTranslation,
} from "@purse/ui";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import type { LiveState } from "../../components/LiveStatus.tsx";
import { useLiveRecords } from "../../query/useLiveRecords.ts";
import { useSettings } from "../../SettingsContext.tsx";
import { ClosedClass } from "./ClosedClass.tsx";
import { DEFAULT_CLASS, isFieldName, rememberClass } from "./classes.ts";
import { columnFields, fieldsOf, titleOf } from "./columns.ts";
import { MoreRecords } from "./MoreRecords.tsx";
import { RecordPanel } from "./RecordPanel.tsx";
import { canWrite, describeAccess, grantsOf, isSharedWith } from "./recordAccess.ts";
import { formatValue, toJson } from "./recordValues.ts";
import { SampleRecords } from "./SampleRecords.tsx";
import type { DataSearch } from "./searchParams.ts";
import { useChangedIds } from "./useChangedIds.ts";
import type { ClassInfo } from "./useClasses.ts";
import { useOpenedRecord } from "./useOpenedRecord.ts";

const NO_RECORDS: readonly ParseObject[] = [];
const NO_FILTERS: readonly Filter[] = [];
const DATES = (["createdAt", "updatedAt"] as const).map((name): DataField => ({ name, type: "Date" }));

interface ClassRecordsProps {
  className: string;
  search: DataSearch;
  /** The class as listed by the server. */
  listed: ClassInfo | undefined;
  onLive: (state: LiveState) => void;
}

export function ClassRecords({ className, search, listed, onLive }: ClassRecordsProps) {
  const texts = useTranslation();
  const { t, language } = texts;
  const { user } = useMoralis();
  const { development } = useSettings();
  const toast = useToast();
  const navigate = useNavigate({ from: "/data" });
  const sort = search.sort && isFieldName(search.sort.replace(/^-/, "")) ? search.sort : "-createdAt";
  const { where: filters = NO_FILTERS } = search;
  const targetOf = (name: string) => listed?.fields.find((field) => field.name === name)?.targetClass;
  const where = toWhere(filters, targetOf);
  const found = useLiveRecords(
    className,
    () => Query.fromJSON(className, { ...(where && { where }), order: sort }),
    [JSON.stringify(where), sort],
  );
  const { data: records = NO_RECORDS, live } = found;
  useEffect(() => onLive(live), [onLive, live]);
  useEffect(() => {
    if (found.data) rememberClass(className);
  }, [className, found.data]);
  const changedIds = useChangedIds(records);
  const fields = useMemo(() => fieldsOf(className, records, listed?.fields), [className, records, listed]);
  const isOwn = (record: ParseObject) => user !== null && canWrite(grantsOf(record.getACL()), user.id);
  const isShared = (record: ParseObject) => isSharedWith(grantsOf(record.getACL()), user?.id);
  const rows = user
    ? records.filter({ own: isOwn, shared: isShared, all: () => true }[search.whose ?? "all"])
    : records;
  const sortable = [...new Set([...[...DATES, ...fields].map(({ name }) => name), sort.replace(/^-/, "")])];
  const [editingFilter, setEditingFilter] = useState<number | "new">();
  const isFiltered = filters.length > 0 || search.whose !== undefined;
  const updateSearch = (to: Partial<DataSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...to }), resetScroll: false });
  const opened = useOpenedRecord(className, search.record, found);
  const refetch = () => void found.refetch();

  async function toggle(record: ParseObject, field: string, isOn: boolean) {
    try {
      await record.save({ [field]: isOn });
      refetch();
    } catch (error) {
      record.revert();
      toast(errorMessage(error, t));
    }
  }

  async function remove(record: ParseObject) {
    const acl = record.getACL();
    const values = Object.fromEntries(fields.map(({ name }) => [name, record.get(name)]));
    const attributes = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    try {
      await record.destroy();
      refetch();
      toast(t("Record deleted"), {
        label: t("Undo"),
        run: () => {
          const restored = new Record(className, attributes);
          if (acl) restored.setACL(acl);
          restored.save().then(
            () => {
              refetch();
              toast(t("Restored with a new ID"));
            },
            (error: unknown) => toast(errorMessage(error, t)),
          );
        },
      });
    } catch (error) {
      toast(errorMessage(error, t));
    }
  }

  return (
    <section className="card stack" aria-label={t("{class} records", { class: className })}>
      <div className="data-bar">
        <div className="filters">
          <FilterList
            fields={[...fields, ...DATES]}
            filters={filters}
            editing={editingFilter}
            onEditing={setEditingFilter}
            onChange={(next) => updateSearch({ where: next.length > 0 ? next : undefined })}
            addLabel={t("Apply filter")}
            buttonVariant="quiet"
          />
          <Select
            label={t("Sort")}
            hideLabel
            value={sort}
            onChange={(next) => updateSearch({ sort: next === "-createdAt" ? undefined : next })}
            options={sortable.flatMap((field) => [
              {
                key: `-${field}`,
                label: field === "createdAt" ? t("Newest first") : t("{field} descending", { field }),
              },
              {
                key: field,
                label: field === "createdAt" ? t("Oldest first") : t("{field} ascending", { field }),
              },
            ])}
          />
        </div>
        {user ? (
          <>
            <Select
              label={t("Owner filter")}
              hideLabel
              value={search.whose ?? "all"}
              onChange={(whose) => updateSearch({ whose: whose === "all" ? undefined : whose })}
              options={{
                all: t("All visible records"),
                own: t("Records I can edit"),
                shared: t("Shared with me"),
              }}
            />
            {listed?.create !== false && (
              <Button variant="primary" onClick={() => updateSearch({ record: "new" })}>
                {t("New record")}
              </Button>
            )}
          </>
        ) : (
          <Link to="/sign-in" search={{ next: `/data?class=${className}` }} className="button">
            {t("Sign in to edit")}
          </Link>
        )}
      </div>
      <QueryState
        query={found}
        label={t("Loading records")}
        skeleton={renderTable(undefined)}
        renderError={(error) => (isForbidden(error) ? <ClosedClass className={className} /> : undefined)}
      >
        {() => renderTable(rows)}
      </QueryState>
      {found.hasMore && (
        <MoreRecords query={Query.fromJSON(className, { ...(where && { where }) })} found={found} />
      )}
      {search.record === "new" && user && (
        <RecordPanel
          className={className}
          record={undefined}
          fields={fields}
          canAddFields={listed?.addField !== false}
          onClose={() => updateSearch({ record: undefined })}
          onSaved={refetch}
        />
      )}
      {opened.error !== null && (
        <Dialog
          open
          side
          title={t("{class} record", { class: className })}
          onClose={() => updateSearch({ record: undefined })}
        >
          <ErrorState error={opened.error} />
        </Dialog>
      )}
      {opened.record && (
        <RecordPanel
          key={opened.record.id}
          className={className}
          record={opened.record}
          fields={fields}
          canAddFields={listed?.addField !== false}
          onClose={() => updateSearch({ record: undefined })}
          onSaved={refetch}
        />
      )}
    </section>
  );

  function renderTable(shown: readonly ParseObject[] | undefined) {
    return (
      <Table
        caption={t("{class} records", { class: className })}
        rows={shown}
        rowKey={(record) => record.id ?? ""}
        empty={
          <EmptyState
            title={isFiltered ? t("No results") : t("No records yet")}
            action={
              user?.id !== undefined &&
              development &&
              className === DEFAULT_CLASS &&
              !isFiltered &&
              listed?.create !== false && (
                <SampleRecords className={className} userId={user.id} onAdded={refetch} />
              )
            }
          >
            {found.hasMore
              ? t("None of the first {n, number} records match. Show more to look further.", {
                  n: records.length,
                })
              : search.whose === "shared" && user
                ? t("No records have been shared with you. Public records are not included.")
                : isFiltered
                  ? t("No visible records match your filters.")
                  : user
                    ? listed?.create === false
                      ? t("You can't create records in this class.")
                      : t("Create your first record.")
                    : t("Sign in to create the first record.")}
          </EmptyState>
        }
        columns={[
          {
            label: t("Record"),
            cell: (record) => (
              <button
                type="button"
                className="record-title"
                title={titleOf(record)}
                data-fresh={changedIds.has(record.id ?? "")}
                onClick={() => updateSearch({ record: record.id })}
              >
                <bdi className="clip">{titleOf(record)}</bdi>
              </button>
            ),
          },
          ...columnFields(fields, records).map(({ name, type }) => ({
            key: name,
            label: name,
            number: type === "Number",
            cell: (record: ParseObject) =>
              type === "Boolean" ? (
                <Checkbox
                  label={<span className="visually-hidden">{`${name}: ${titleOf(record)}`}</span>}
                  checked={record.get(name) === true}
                  disabled={!isOwn(record)}
                  onChange={(isOn) => void toggle(record, name, isOn)}
                />
              ) : (
                <ClippedValue text={formatValue(ownValue(toJson(record), name), language)} />
              ),
          })),
          {
            label: t("Access"),
            hideOnPhone: true,
            isShort: true,
            cell: (record) => (
              <span className="small soft">{describeAccess(grantsOf(record.getACL()), user?.id, texts)}</span>
            ),
          },
          { label: t("Last modified"), cell: (record) => <RelativeTime at={record.updatedAt ?? 0} /> },
          {
            key: "actions",
            label: <span className="visually-hidden">{t("Actions")}</span>,
            cell: (record) =>
              isOwn(record) ? (
                <Button
                  small
                  variant="quiet"
                  onClick={() => void remove(record)}
                  aria-label={t("Delete {record}", { record: titleOf(record) })}
                >
                  {t("Delete")}
                </Button>
              ) : null,
          },
        ]}
      />
    );
  }
}

/** A value in one line, with more of it in its title. */
function ClippedValue({ text }: { text: string }) {
  return (
    <bdi className="value clip" title={text.length > 20 ? text.slice(0, 1_000) : undefined}>
      {text.slice(0, 200)}
    </bdi>
  );
}

function errorMessage(error: unknown, t: Translator["t"]): string {
  const { title, detail } = explain(error, t);
  return `${title}. ${detail}`;
}
