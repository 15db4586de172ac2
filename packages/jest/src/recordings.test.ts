import { expect, test } from 'vitest'
import { renderRecord } from '../../../test/support/render-record'
import { listRecorded, readRecorded, replay } from '../recordings/replay'

test.each(listRecorded())('maps the recorded execution %s of Jest %s as judged', async (project, version) => {
  const execution = await replay(readRecorded(version, project))
  await expect(renderRecord(execution)).toMatchFileSnapshot(`../recordings/${project}-${version}.record`)
})
