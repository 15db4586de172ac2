#!/usr/bin/env node
import { main } from './main'

// Whoever read the output may go away (a closed terminal, `| head`): no reason to end the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

process.exitCode = await main(process.argv.slice(2))
