<?php

/**
 * Receives Oriel's webhooks with PHP alone. Copy it whole, or `verify` into the framework you have.
 *
 *     ORIEL_WEBHOOK_SECRET=whsec_... PORT=5005 php receive.php     # POST http://127.0.0.1:5005/webhook
 */

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;
const MAX_BODY_BYTES = 1_000_000;

/** Not from Oriel, or not from now. Answer 400. */
final class Refused extends RuntimeException
{
}

/**
 * The event, if this delivery was signed with $secret within five minutes of $now; throws otherwise. One of the two formats is enough:
 * both are HMACs under the same secret, and whoever can make one can make the other.
 *
 * @param string $rawBody the bytes as they arrived: php://input, in Laravel and Symfony $request->getContent()
 * @param array<string, string> $headers getallheaders()
 * @param int $now time()
 * @throws Refused
 */
function verify(string $rawBody, array $headers, string $secret, int $now): array
{
    $key = keyOf($secret);
    $sent = array_change_key_case($headers, CASE_LOWER);

    if (isset($sent['webhook-signature'])) {
        // Standard Webhooks. An id has no full stop, for that is what parts it from the time.
        $id = $sent['webhook-id'] ?? '';
        if ($id === '' || str_contains($id, '.')) {
            throw new Refused('signature_missing');
        }
        $timestamp = readTimestamp($sent['webhook-timestamp'] ?? '');
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$rawBody", $key, true));
        $signatures = explode(' ', $sent['webhook-signature']);
    } elseif (isset($sent['oriel-signature'])) {
        $signatures = explode(',', $sent['oriel-signature']);
        $times = array_values(array_filter($signatures, fn (string $part) => str_starts_with($part, 't=')));
        $timestamp = readTimestamp(count($times) === 1 ? substr($times[0], strlen('t=')) : '');
        $expected = 'v1=' . hash_hmac('sha256', "$timestamp.$rawBody", $secret);
    } else {
        throw new Refused('signature_missing');
    }

    // Several, while the secret is being rotated. Every one is compared, so that time does not tell which fits.
    $fitting = array_filter($signatures, fn (string $signature) => hash_equals($expected, $signature));
    if ($fitting === []) {
        throw new Refused('signature_mismatch');
    }
    if (abs($now - (int) $timestamp) > TOLERANCE_SECONDS) {
        throw new Refused('timestamp_out_of_tolerance');
    }
    $event = json_decode($rawBody, true);
    return is_array($event) ? $event : throw new Refused('body_malformed');
}

/** The 24 to 64 bytes that whsec_... stands for. */
function keyOf(string $secret): string
{
    $key = (string) base64_decode(substr($secret, strlen('whsec_')), true);
    if ($secret !== 'whsec_' . base64_encode($key) || strlen($key) < 24 || strlen($key) > 64) {
        throw new Refused('secret_invalid');
    }
    return $key;
}

/** Kept as text, for the text is what was signed. */
function readTimestamp(string $text): string
{
    if (!preg_match('~^[1-9][0-9]{0,11}$~D', $text)) {
        throw new Refused('timestamp_invalid');
    }
    return $text;
}

/** Yours: write the event down and return. What it brings about is done afterwards, by somebody else. */
function take(array $event): void
{
    error_log("{$event['id']} {$event['type']} {$event['object_sequence']}");
}

/** @return array{int, string} the status to answer with, and the text */
function receive(): array
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST' || parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== '/webhook') {
        return [404, ''];
    }
    $rawBody = (string) file_get_contents('php://input', length: MAX_BODY_BYTES + 1);
    if (strlen($rawBody) > MAX_BODY_BYTES) {
        return [413, ''];
    }
    try {
        $event = verify($rawBody, getallheaders(), (string) getenv('ORIEL_WEBHOOK_SECRET'), time());
    } catch (Refused $error) {
        $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
        error_log("refused: {$error->getMessage()} " . (preg_match('~^[A-Za-z0-9_-]{1,64}$~D', $id) ? $id : '(no id)'));
        return [400, "Webhook refused: {$error->getMessage()}."];
    }
    take($event); // if this throws, PHP answers 500, and Oriel sends it again
    return [204, ''];
}

/** Starts PHP's own server, which runs this file for each request. It says on its own when it cannot listen. */
function serve(): int
{
    try {
        keyOf((string) getenv('ORIEL_WEBHOOK_SECRET'));
    } catch (Refused) {
        fwrite(STDERR, "ORIEL_WEBHOOK_SECRET must be the signing secret exactly as shown: whsec_... without spaces or quotes.\n");
        return 1;
    }
    $port = getenv('PORT') ?: '5005';
    echo "listening on http://127.0.0.1:$port/webhook\n";
    return proc_close(proc_open([PHP_BINARY, '-S', "127.0.0.1:$port", __FILE__], [], $pipes));
}

if (PHP_SAPI !== 'cli') {
    http_response_code(500); // should it throw
    [$status, $text] = receive();
    http_response_code($status);
    header('Content-Type: text/plain; charset=utf-8');
    echo $text;
} elseif (realpath($_SERVER['SCRIPT_FILENAME'] ?? '') === __FILE__) {
    exit(serve()); // not when it is required
}
