/** Components, hooks and texts that the web app and the studio share. */
export { Passkeys } from "./account/Passkeys.tsx";
export { SecondFactor } from "./account/SecondFactor.tsx";
export { type AccessGrant, AccessList } from "./components/AccessList.tsx";
export { Address } from "./components/Address.tsx";
export { Button } from "./components/Button.tsx";
export { Chart, type Point, Sparkline } from "./components/Chart.tsx";
export { Code } from "./components/Code.tsx";
export { ConfirmDialog } from "./components/ConfirmDialog.tsx";
export { CopyButton } from "./components/CopyButton.tsx";
export { DateField } from "./components/DateField.tsx";
export { Detail, DetailList } from "./components/DetailList.tsx";
export { Dialog } from "./components/Dialog.tsx";
export { EmptyState } from "./components/EmptyState.tsx";
export { ErrorState } from "./components/ErrorState.tsx";
export { Field, TextArea } from "./components/Field.tsx";
export { isFocusLost, keepFocus } from "./components/focus.ts";
export { shortAddress } from "./components/formatAddress.ts";
export { IconButton } from "./components/IconButton.tsx";
export { Identicon } from "./components/Identicon.tsx";
export { PasswordField } from "./components/PasswordField.tsx";
export { QrCode } from "./components/QrCode.tsx";
export { FailedRead, type QueryResult, QueryState, StaleNote } from "./components/QueryState.tsx";
export { qrImage } from "./components/qrImage.ts";
export { isRelativeTime, RelativeTime } from "./components/RelativeTime.tsx";
export { Select } from "./components/Select.tsx";
export { ShareButton } from "./components/ShareButton.tsx";
export { Skeleton, SkeletonList } from "./components/Skeleton.tsx";
export { Notice, Status, type StatusKind } from "./components/Status.tsx";
export { Stepper, type StepState } from "./components/Stepper.tsx";
export { Checkbox, Switch } from "./components/SwitchAndCheckbox.tsx";
export { type Column, Table, type TableProps } from "./components/Table.tsx";
export { Tabs } from "./components/Tabs.tsx";
export { ToastProvider, useToast } from "./components/Toasts.tsx";
export { useAction } from "./components/useAction.ts";
export {
  type DataClass,
  type DataSource,
  DataSourceProvider,
} from "./dataBrowser/DataSource.ts";
export { buildAcl, parseAcl } from "./dataBrowser/editors/acl.ts";
export { DateInput } from "./dataBrowser/editors/DateEditor.tsx";
export { FileInput } from "./dataBrowser/editors/FileInput.tsx";
export { toBase64 } from "./dataBrowser/editors/fileBytes.ts";
export { RowPicker, searchWhere } from "./dataBrowser/editors/RowPicker.tsx";
export { FilterChip, FilterList, type FilterListProps } from "./dataBrowser/FilterList.tsx";
export { type DataField, dataFieldsOf } from "./dataBrowser/fields.ts";
export {
  conditionsOf,
  escapeRegExp,
  operatorsOf,
  toWhere,
  usesOnlyOwnFields,
} from "./dataBrowser/filterQueries.ts";
export { type Filter, type FilterOperator, parseFilters } from "./dataBrowser/filters.ts";
export { describeAcl, displayText, fullText, rowLabel } from "./dataBrowser/formatValue.ts";
export { isInline } from "./dataBrowser/isInline.ts";
export { editableText, type ParsedValue, parseValue } from "./dataBrowser/parseValue.ts";
export { ValueDialog } from "./dataBrowser/ValueDialog.tsx";
export { ValueField } from "./dataBrowser/ValueField.tsx";
export { downloadFile } from "./downloadFile.ts";
export { explain } from "./errors/explain.ts";
export { formatBytes } from "./format/bytes.ts";
export { formatDate } from "./format/dates.ts";
export { formatDuration } from "./format/durations.ts";
export { jsonErrorPosition, type TextPosition } from "./format/jsonPosition.ts";
export { formatCount, formatNumber, numberFormat } from "./format/numbers.ts";
export { digitsFor, formatPercent, formatSignificant, withLowerBound } from "./format/shares.ts";
export { Form } from "./forms/Form.tsx";
export { FormDialog, MutationDialog } from "./forms/FormDialog.tsx";
export {
  address,
  NO_MESSAGE,
  newName,
  optionalNumber,
  optionalText,
  requiredText,
  secret,
} from "./forms/schemas.ts";
export { Unsaved, useUnsaved } from "./forms/unsaved.tsx";
export { useForm } from "./forms/useForm.ts";
export type { Catalogs } from "./i18n/languages.ts";
export { TranslationProvider, useTranslation } from "./i18n/TranslationContext.tsx";
export { createTranslator, loadTranslator, type Translator } from "./i18n/translator.ts";
export { loadJson, loadList, saveJson } from "./jsonStorage.ts";
export {
  isForbidden,
  isNodeConnectionError,
  isNotFound,
  isUnavailable,
} from "./query/errors.ts";
export { createQueryClient, lastErrorOf, refetchIntervalOf } from "./query/queryClient.ts";
export { reachability } from "./query/reachability.ts";
export { withTimeout } from "./query/withTimeout.ts";
export { AppCommands } from "./shell/AppCommands.tsx";
export { AppShell, type NavItem } from "./shell/AppShell.tsx";
export { handleChunkErrors } from "./shell/chunkErrors.ts";
export { type Command, filterCommands } from "./shell/commands.ts";
export { requestFont } from "./shell/font.ts";
export { LazyDialog, LazyExtra, LazySection } from "./shell/lazyParts.tsx";
export { NotFound } from "./shell/NotFound.tsx";
export { forgetPages } from "./shell/openedPages.ts";
export { PageError } from "./shell/PageError.tsx";
export type { ShortcutRow } from "./shell/ShortcutSheet.tsx";
export { StartFailure } from "./shell/StartFailure.tsx";
export { stringParam } from "./shell/stringParam.ts";
export { currentTheme, setTheme, subscribeToTheme } from "./shell/theme.ts";
export { useDocumentTitle } from "./shell/useDocumentTitle.ts";
export { useShortcuts } from "./shell/useShortcuts.ts";
