// Opens Playwright's UI mode for the project in the working directory, runs its one test by hand, and ends it again.
const { spawn } = require('node:child_process')
const { chromium } = require('@playwright/test')

const command = ['node_modules/@playwright/test/cli.js', 'test', '--ui-host=127.0.0.1', '--ui-port=0']
const ui = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })

function readAddress() {
  return new Promise((resolve) => {
    let output = ''
    ui.stdout.on('data', (chunk) => {
      output += chunk
      const found = /Listening on (http\S+)/.exec(output)
      if (found) resolve(found[1])
    })
  })
}

async function runTest() {
  const options = { executablePath: process.env.CHROMIUM_PATH, args: ['--no-sandbox'] }
  const browser = await chromium.launch(options)
  try {
    const page = await browser.newPage()
    await page.goto(await readAddress())
    await page.getByTestId('test-tree').getByText('a.test.js').waitFor()
    await page.getByTitle('Run all').click()
    await page.locator('.codicon-check').first().waitFor()
    // Time enough for a reporter that would send something.
    await new Promise((resolve) => setTimeout(resolve, 2000))
  } finally {
    await browser.close()
  }
}

async function main() {
  try {
    await runTest()
  } finally {
    ui.kill()
  }
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
