<?php
// Loads the classes of the SDK and of its tests, as Composer would.
spl_autoload_register(function ($class) {
    $root = dirname(__DIR__);
    foreach (['Parse\\Test\\' => "$root/tests/Parse/", 'Parse\\' => "$root/src/Parse/"] as $prefix => $folder) {
        if (!str_starts_with($class, $prefix)) {
            continue;
        }
        $file = $folder . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
        if (is_file($file)) {
            require $file;
            return;
        }
    }
});
