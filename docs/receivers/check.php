<?php

/** Says of each vector what receive.php says: `php check.php --vectors vectors.json` prints a line `VERDICT <tab> NAME` for each. */

declare(strict_types=1);

require __DIR__ . '/receive.php';

$file = getopt('', ['vectors:'])['vectors'] ?? 'vectors.json';
foreach (json_decode(file_get_contents($file), true, flags: JSON_THROW_ON_ERROR)['vectors'] as $vector) {
    $verdict = 'ok';
    try {
        verify(base64_decode($vector['body_base64'], true), $vector['headers'], $vector['secret'], $vector['now']);
    } catch (Refused $error) {
        $verdict = $error->getMessage();
    }
    echo "$verdict\t{$vector['name']}\n";
}
