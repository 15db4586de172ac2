import {
  SETTING_NAMES,
  type SettingName,
  type Settings,
  type UpdateSettingsRequest,
  type UpdateSettingsResponse,
} from '@runledger/protocol'
import type { Context } from '../call/context'
import type { Transaction } from '../../storage/database/database'
import { failedValidation } from '../../base/errors'
import type { Handlers } from '../call/handler'
import { describeSettings } from '../../record/access/audit/record-change'
import { describePatternProblem } from '../../record/catalogue/units/parse-serial-number'
import { findProcedure } from '../../record/catalogue/procedures/store'
import {
  readCommittedSettings,
  readSettings,
  resetSetting,
  writeSetting,
} from '../../record/access/settings/store'

export const SETTINGS_HANDLERS: Handlers<'getSettings' | 'updateSettings'> = {
  getSettings: ({ context }) => readCommittedSettings(context.database.query),
  updateSettings: ({ context, body }) => updateSettings(context, body),
}

/** All or nothing; null restores the default. @throws HttpError BAD_REQUEST that names the setting, the value and the fix */
async function updateSettings(
  { database, recordChange }: Context,
  request: UpdateSettingsRequest,
): Promise<UpdateSettingsResponse> {
  checkPattern(request['serial_number.pattern'])
  const settings = await database.write(async (transaction) => {
    const before = await readSettings(transaction)
    await checkRules(transaction, request['retention.days_by_procedure'] ?? {}, before)
    for (const name of SETTING_NAMES) await changeSetting(transaction, name, request[name])
    const after = await readSettings(transaction)
    await recordChange(transaction, describeSettings(before, after))
    return after
  })
  return { ...settings, warnings: warnOfUnknown(request) }
}

async function changeSetting<Name extends SettingName>(
  transaction: Transaction,
  name: Name,
  value: Settings[Name] | null | undefined,
): Promise<void> {
  if (value === undefined) return
  await (value === null ? resetSetting(transaction, name) : writeSetting(transaction, name, value))
}

function checkPattern(pattern: string | null | undefined): void {
  const problem = typeof pattern === 'string' ? describePatternProblem(pattern) : undefined
  if (problem === undefined) return
  throw failedValidation([{ path: ['serial_number.pattern'], message: `${problem}; received "${pattern}"` }])
}

type Rules = Settings['retention.days_by_procedure']

/** A new rule for an unknown procedure is a typing error; another rule would then decide over the runs it was meant for. */
async function checkRules(transaction: Transaction, rules: Rules, before: Settings): Promise<void> {
  for (const name of Object.keys(rules)) {
    const isKept = Object.hasOwn(before['retention.days_by_procedure'], name)
    if (isKept || (await findProcedure(transaction, name))) continue
    const message = `must name a procedure that exists, by its identifier or id; received "${name}"`
    throw failedValidation([{ path: ['retention.days_by_procedure', name], message }])
  }
}

function warnOfUnknown(request: object): string[] {
  return Object.keys(request)
    .filter((name) => !(SETTING_NAMES as string[]).includes(name))
    .map((name) => `"${name}" is no setting and was ignored. The settings are ${SETTING_NAMES.join(', ')}.`)
}
