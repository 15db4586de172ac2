import { type ProcedureDetail, type RepositorySettings, RepositorySettingsSchema } from '@runledger/protocol'

const NAMES = Object.keys(RepositorySettingsSchema.shape) as (keyof RepositorySettings)[]

/** The repository fields among others, those alone that are there. */
export function pickRepositorySettings(from: RepositorySettings): RepositorySettings {
  return Object.fromEntries(
    NAMES.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])),
  ) as RepositorySettings
}

export function parseRepositorySettings(stored: string | null): RepositorySettings {
  return RepositorySettingsSchema.parse(stored === null ? {} : JSON.parse(stored))
}

/** The fields as they are answered: null where nothing was set. */
export function mapRepositorySettings(
  stored: string | null,
): Pick<ProcedureDetail, keyof RepositorySettings> {
  const settings = parseRepositorySettings(stored)
  return {
    productionBranch: settings.productionBranch ?? null,
    autoPushEnabled: settings.autoPushEnabled ?? null,
    excludedBranchPatterns: settings.excludedBranchPatterns ?? null,
    rootDirectory: settings.rootDirectory ?? null,
    entryPoint: settings.entryPoint ?? null,
  }
}
