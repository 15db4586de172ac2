import path from 'node:path'
import { CommandError } from '../command-error'
import { findFolder } from '../find-folder'
import { writeJson } from '../output'
import { toPlainText } from '../plain-text'
import type { Surface } from '../surroundings'
import { type InitRecord, listEdited, readRecord, recordFileOf, restoreFiles } from './file-writes'
import type { InitFlags } from './init-flags'
import { findPackage } from './find-packages'
import { createPackageCommand, runPackageCommand } from './package-manager'

/** Puts every file back as it was before `init`. Refuses, and changes nothing, when one was edited since. */
export async function takeBack(flags: InitFlags, { output, surroundings }: Surface): Promise<void> {
  const { dir: root } = findPackage(findFolder(flags.dir, surroundings.cwd))
  const record = readRecord(root)
  if (!record) throw new CommandError(`nothing is to be undone: there is no ${recordFileOf(root)}`)
  const edited = listEdited(root, record)
  if (edited.length > 0)
    throw new CommandError(
      `nothing was undone: edited since init changed it: ${edited.join(', ')}. Take the reporter out by hand`,
    )
  const files = record.files.map(({ file }) => file)
  if (!flags.json) output.out(toPlainText(describeUndo(record)))
  if (!flags.dryRun) await undo(root, record, { flags, confirm: surroundings.confirm })
  if (flags.json) writeJson(output, { undone: !flags.dryRun, files })
  else output.out(flags.dryRun ? 'Nothing was changed: this is a dry run.' : 'Done.')
}

async function undo(
  root: string,
  record: InitRecord,
  { flags, confirm }: { flags: InitFlags; confirm: Surface['surroundings']['confirm'] },
): Promise<void> {
  if (!flags.yes && confirm && !(await confirm('Do this?'))) throw new CommandError('nothing was changed')
  for (const { dir, packages } of record.installs) {
    const call = await createPackageCommand('uninstall', { dir: path.join(root, dir), packages })
    // The files go back all the same: what a package manager leaves behind then is a package that nobody names.
    if (flags.install) await runPackageCommand(call).catch(() => undefined)
  }
  await restoreFiles(root, record)
}

function describeUndo({ files, installs }: InitRecord): string {
  return [
    ...files.map(({ file, before }) => `${before === null ? 'Delete' : 'Put back'} ${file}`),
    ...installs.map(({ packages }) => `Uninstall ${packages.join(', ')}`),
  ].join('\n')
}
