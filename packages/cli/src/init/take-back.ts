import { messageOf } from '@runledger/core/tools'
import path from 'node:path'
import { CommandError } from '../command-error'
import { findFolder } from '../find-folder'
import { writeJson } from '../output'
import { toPlainText } from '../plain-text'
import { refuseDistrusted } from '../refuse-distrusted'
import type { Surface } from '../command-context'
import { type InitRecord, listEdited, readRecord, recordFileOf, restoreFiles } from './file-writes'
import type { InitFlags } from './init-flags'
import { findOwnPackage } from '../project/find-packages'
import { createPackageCommand, runPackageCommand } from './package-manager'

/** Puts every file back as it was before `init`. Refuses, and changes nothing, when one was edited since. */
export async function takeBack(flags: InitFlags, { output, context }: Surface): Promise<void> {
  const { dir: root } = findOwnPackage(findFolder(flags.dir, context.cwd), context.env)
  // The record names files and their new content.
  refuseDistrusted(recordFileOf(root), context.env)
  const record = readRecord(root)
  if (!record) throw new CommandError(`there is nothing to undo: ${recordFileOf(root)} does not exist`)
  const edited = listEdited(root, record)
  if (edited.length > 0)
    throw new CommandError(
      `nothing was undone: edited since init changed it: ${edited.join(', ')}. Take the reporter out by hand`,
    )
  const files = record.files.map(({ file }) => file)
  if (!flags.json) output.out(toPlainText(describeUndo(record)))
  const left = flags.dryRun ? [] : await undo(root, record, { flags, confirm: context.confirm })
  if (flags.json) writeJson(output, { undone: !flags.dryRun, files, left })
  else if (left.length === 0) output.out(flags.dryRun ? 'Nothing was changed: this is a dry run.' : 'Done.')
  if (left.length > 0) throw new CommandError(`every file is as it was before, but ${left.join('; ')}`)
}

/** Returns what the package manager could not do; the files are restored in any case. */
async function undo(
  root: string,
  record: InitRecord,
  { flags, confirm }: { flags: InitFlags; confirm: Surface['context']['confirm'] },
): Promise<string[]> {
  if (!flags.yes && confirm && !(await confirm('Do this?'))) throw new CommandError('nothing was changed')
  const left: string[] = []
  for (const { dir, packages } of flags.install ? record.installs : []) {
    const call = await createPackageCommand('uninstall', { dir: path.join(root, dir), packages })
    await runPackageCommand(call).catch((error: unknown) => left.push(messageOf(error)))
  }
  await restoreFiles(root, record)
  return left
}

function describeUndo({ files, installs }: InitRecord): string {
  return [
    ...files.map(({ file, before }) => `${before === null ? 'Delete' : 'Put back'} ${file}`),
    ...installs.map(({ packages }) => `Uninstall ${packages.join(', ')}`),
  ].join('\n')
}
